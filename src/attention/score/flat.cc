// flat: e_i = w_i' k_i, a weight vector for each position and no query: the typo finder's shortcut, in which all of the
// source, laid out flat, meets one weight vector, w' vec(K) = sum_i w_i' k_i. With select = identity and read = total
// that sum is what the decoder reads; with any other selection the shares say where to look.
#include "base/as_size.h"
#include "attention/score/known_positions.h"

namespace fovea {

namespace {

class Flat : public Score {
 public:
  Flat(Parameters& parameters, const std::string& name, const AttentionSizes& sizes)
      : positions_(sizes.options.positions),
        places_(parameters.add(name + ".places", {positions_, sizes.memory}, Initial::glorot(sizes.memory, 1))) {}

  Tensor scores(Pass& pass, const Question& question, Tensor keys) const override {
    const int positions = keys.shape()[0], batch = keys.shape()[1], size = keys.shape()[2];
    check_positions("flat", positions, positions_);
    // Each position of each row is a batch entry of its own, with its w_i as the query.
    const auto ids = pass.arena().array<std::int32_t>(as_size(positions) * batch);
    const auto real = pass.arena().array<std::uint8_t>(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<std::int32_t>(i) / batch;
      real[i] = 1;
    }
    const Tensor rows = embed(pass(places_), ids, {1, positions * batch});
    const Tensor shares = dot_scores(rows, as_shape(keys, {1, positions * batch, size}), 1,
                                     {real.data(), 1, positions * batch});       // [1, positions * batch, 1]
    const Tensor once = from_pairs(as_shape(shares, {positions, batch, 1}), 1);  // [1, batch, positions]
    const auto repeated = pass.arena().array<std::int32_t>(as_size(question.queries.shape()[0]));
    std::fill(repeated.begin(), repeated.end(), 0);
    return gather_rows(once, repeated);
  }

 private:
  int positions_;
  ParameterId places_;
};

}  // namespace

extern const Mechanism<Score> Score_flat = {
    "flat", "w_i' k_i", "typo location post", made<Score, Flat>, {.ignores_query = true, .counts_positions = true}};

}  // namespace fovea
