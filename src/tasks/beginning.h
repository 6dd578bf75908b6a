// What a new run takes over from a model that is there: its settings, tokenizers and vocabularies, and its weights.
#pragma once

#include <memory>
#include <string>

#include "tasks/model.h"

namespace fovea {

struct Beginning {
  std::string name;  // as the model was given
  // Of a run that goes on it is what its checkpoint says, without weights, as on all ranks but the first.
  std::shared_ptr<const Model> model;
};

// Every weight that is a number for each symbol may have got more of them, behind those it had: they stay as they are,
// and all else is copied by name. Throws a usage_error if `model` has a weight that `from` has not.
void take_weights(Model& model, const Model& from);

// A usage_error if a setting says something else than the model's, unless it is about how to train: which is any of
// training.* and objective.*, what is read of the data, which new symbols are worth a place and with which vectors they
// begin.
void check_settings_kept(const Config& model, const Config& asked);

}  // namespace fovea
