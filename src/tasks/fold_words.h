// An explanation by words, where a model read or wrote pieces of them.
#pragma once

#include "tasks/config.h"
#include "tasks/output.h"

namespace fovea {

// Pieces up to the next that carries the mark of a word's beginning are one word. A step's weight on a word is the sum
// over the word's pieces, its score the largest of theirs; a word that was written in several steps looked where they
// did on average, and is as probable as all of them together. A side without any mark stays as it is. What is left out
// is still counted in pieces, and these are kept beside the words.
Output fold_words(const Output& output);

// A usage_error unless a model reads or writes pieces.
void check_folds_words(const Config& config);

}  // namespace fovea
