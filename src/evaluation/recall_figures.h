// How many of the symbols that the targets want are in the answers: those that a model has never or hardly met, which
// it has to copy or to look up.
#pragma once

#include <span>
#include <vector>

#include "evaluation/figure.h"
#include "evaluation/mistakes.h"

namespace fovea {

// unseen_recall of symbols unknown to the model and rare_recall of those it has hardly seen, if it knows which these
// are; nothing where none are wanted. One prediction for each question.
std::vector<Figure> recall_figures(const Task& task, std::span<const Referenced> questions,
                                   std::span<const Prediction> predictions, bool lowercase, Workers& workers);

// All of these, without values.
std::vector<Figure> known_recall_figures();

}  // namespace fovea
