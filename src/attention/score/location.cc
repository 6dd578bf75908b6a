// location: e = W q, one row of W for each position: the query alone says where to look.
// Luong, Pham & Manning 2015.
#include "attention/score/known_positions.h"
#include "layers/linear.h"

namespace fovea {

namespace {

class Location : public Score {
 public:
  Location(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : positions_(sizes.options.positions), place_(parameters, name + ".place", sizes.query, positions_) {}

  Tensor scores(Pass& pass, const Question& question, Tensor) const override {
    const int positions = question.memory.mask.positions;
    check_positions("location", positions, positions_);
    return columns(place_(pass, question.queries), 0, positions);
  }

 private:
  int positions_;
  Linear place_;
};

}  // namespace

extern const Mechanism<Score> Score_location = {
    "location", "W q, one row for each position", "Luong 2015", made<Score, Location>, {.counts_positions = true}};

}  // namespace fovea
