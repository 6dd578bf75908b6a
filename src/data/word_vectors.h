// Ready vectors of symbols, as word2vec, GloVe and fastText write them: symbol n1 n2 ... nd, one a line, and a first
// line that says how many there are of which dimension, or none.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/vocabulary.h"

namespace fovea {

// By id, the vectors of the symbols that the file has; of one that comes twice, the first. Throws a data_error for what
// is no such file, and a usage_error if the vectors have not `dimension` numbers, which is what `setting` is.
std::map<int, std::vector<float>> read_word_vectors(const std::string& path, const Vocabulary& vocabulary,
                                                    int dimension, std::string_view setting);

}  // namespace fovea
