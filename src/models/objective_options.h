// What can be asked of training beside the likelihood. An objective declares its weight, and what else it can be told,
// with its entry; flags, TOML keys and help come from there.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/member_options.h"
#include "base/registry.h"

namespace fovea {

class Objective;
class Parameters;
struct ModelOptions;
struct ObjectiveKind;

struct ObjectiveTraits {
  bool holds_attention = false;  // there must be one, to a source
  bool by_position = false;      // a column of the source must stand for one symbol
  bool needs_links = false;      // learns from alignments given with the data
  bool both_directions = false;  // trains a model of the other direction, too
  bool of_draws = false;         // whatever its weight, part of a model that draws, and of no other
};

// Of one objective. Most have nothing but a weight, which has the objective's name.
class ObjectiveSettings {
 public:
  explicit ObjectiveSettings(const ObjectiveKind& kind, double weight = 0) : kind(&kind), weight(weight) {}
  virtual ~ObjectiveSettings() = default;
  virtual void fields(FieldVisitor& visit);
  virtual std::unique_ptr<ObjectiveSettings> copy() const { return std::make_unique<ObjectiveSettings>(*this); }
  // Throws a usage_error where what is asked for does not go with the rest of the model.
  virtual void check(const ModelOptions&) const {}
  // Of one that needs links: the share of the wanted weights that is spread over all positions.
  virtual double link_smoothing() const { return 0; }

  const ObjectiveKind* kind;
  double weight;
};

// What an objective is made from.
struct ObjectiveParts {
  Parameters& parameters;
  const ModelOptions& options;
  const ObjectiveSettings& settings;
  int memory = 0;      // size of a column of the source
  int state = 0;       // of the decoder
  bool draws = false;  // where it looks
};

template <class Settings>
std::unique_ptr<ObjectiveSettings> objective_settings(const ObjectiveKind& kind) {
  return std::make_unique<Settings>(kind);
}

struct ObjectiveKind {
  std::string_view name;
  std::string_view formula;
  std::string_view paper;
  std::unique_ptr<Objective> (*make)(const ObjectiveParts& parts);
  ObjectiveTraits traits = {};
  std::unique_ptr<ObjectiveSettings> (*settings)(const ObjectiveKind& kind) = objective_settings<ObjectiveSettings>;
};

const Registry<ObjectiveKind>& objectives();

class ObjectiveOptions : public MemberOptions<ObjectiveSettings> {
 public:
  ObjectiveOptions();

  double label_smoothing = 0;  // of the likelihood itself

  void fields(FieldVisitor& visit);

  // One with that trait that is asked for; null: there is none.
  const ObjectiveSettings* asked(bool ObjectiveTraits::* trait) const;
  void leave_out(bool ObjectiveTraits::* trait);
};

}  // namespace fovea
