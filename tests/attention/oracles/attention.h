// Attention composed of its axes: heads side by side, each on a projection of its own (Vaswani et al. 2017), about one
// source, one step at a time.
#pragma once

#include <optional>
#include <vector>

#include "base/as_size.h"
#include "attention/oracles/biases.h"
#include "attention/oracles/reads.h"
#include "attention/oracles/scores.h"
#include "attention/oracles/selects.h"
#include "base/random.h"

namespace fovea::oracle {

struct Attended {
  Rows scores, weights;  // of each head
  Row context;

  // The mean over the heads.
  Row looked() const { return mean(weights); }
};

// What is asked at a step.
struct Asking {
  Row query;
  int step = 0;
  std::vector<Attended> before = {};  // steps
  Rows written = {};                  // the vector of the symbol that each step, this one too, found written last
  int stepped = 0;                    // how many of those were the step symbol
  std::optional<Random> random = {};  // in training: the numbers of the update,
  std::uint64_t sample = 0;           // for this example
};

// Su et al. 2021: the numbers 2i and 2i + 1, a point in the plane, turn by step * 10000^(-2i / d).
inline Row rotated(Row x, int step) {
  for (std::size_t i = 0; i + 1 < x.size(); i += 2) {
    const double angle = step * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(x.size()));
    const double a = x[i], b = x[i + 1];
    x[i] = a * std::cos(angle) - b * std::sin(angle);
    x[i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
  return x;
}

inline Random at_name(Random random, const std::string& name) {
  for (const char letter : name) random = random.at(static_cast<unsigned char>(letter));
  return random;
}

class Attention {
 public:
  // `name` is that of the attention in the model; `options` must outlive it. Of each position the first `key_size`
  // numbers are its key; 0: all.
  Attention(const Parameters& parameters, std::string name, const AttentionOptions& options, int key_size = 0)
      : name_(std::move(name)),
        weights_(Weights(parameters).of(name_)),
        options_(options),
        key_size_(as_size(key_size)) {}

  Attended attend(const Rows& memory, const Asking& asking) const {
    Attended out;
    for (int head = 0; head < options_.heads; ++head) {
      Look look = look_at(memory, asking, head);
      look.weights = weights_.of(options_.score);
      Row e = scores().at(options_.score)(look);
      for (const std::string& name : options_.bias) {
        look.weights = weights_.of(name);
        e = plus(e, biases().at(name)(look));
      }
      look.weights = weights_.of(options_.select);
      const Row a = selects().at(options_.select)(look, e);
      look.weights = weights_.of(options_.read);
      out.context = joined(out.context, reads().at(options_.read)(look, a));
      out.scores.push_back(e);
      out.weights.push_back(a);
    }
    if (weights_.has("project_context.weight")) out.context = weights_.affine("project_context", out.context);
    return out;
  }

  // Of the bias coverage_embedding: all vectors of all heads.
  Rows coverage_embeddings(const Rows& memory, const Asking& asking) const {
    Rows all;
    for (int head = 0; head < options_.heads; ++head) {
      Look look = look_at(memory, asking, head);
      look.weights = weights_.of("coverage_embedding");
      for (const Row& vector : bias::coverage_embeddings(look)) all.push_back(vector);
    }
    return all;
  }

 private:
  // What a head knows of a memory at a step.
  Look look_at(const Rows& memory, const Asking& asking, int head) const {
    Look look = {.weights = weights_, .options = options_, .query = {}, .keys = {}, .values = {}};
    look.query = turned(of_head("project_query", asking.query, head), asking.step);
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const Row key = key_size_ > 0 ? part(memory[i], 0, key_size_) : memory[i];
      look.keys.push_back(turned(of_head("project_key", key, head), static_cast<int>(i)));
      look.values.push_back(of_head("project_value", memory[i], head));
    }
    look.step = asking.step;
    for (const Attended& step : asking.before) look.before.push_back(step.weights[as_size(head)]);
    look.written = asking.written;
    look.stepped = asking.stepped;
    look.training = asking.random.has_value();
    if (look.training) {
      const Random named = at_name(*asking.random, name_);
      look.uniform_of_example = named.at(asking.sample).uniform(0);
      const Random own = at_name(named, options_.select).at(asking.sample).at(static_cast<std::uint64_t>(asking.step));
      look.uniform = [own, head](int i) {
        return own.at(static_cast<std::uint64_t>(head)).uniform(static_cast<std::uint64_t>(i));
      };
    }
    return look;
  }

  Row of_head(const std::string& projection, const Row& x, int head) const {
    if (!weights_.has(projection + ".weight")) return x;
    const auto size = as_size(options_.size / options_.heads);
    return part(weights_.affine(projection, x), as_size(head) * size, size);
  }
  Row turned(const Row& x, int step) const { return options_.rotary ? rotated(x, step) : x; }

  std::string name_;
  Weights weights_;
  const AttentionOptions& options_;
  std::size_t key_size_;
};

}  // namespace fovea::oracle
