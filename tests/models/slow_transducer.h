// The encoder-decoder written down once more, plainly: one source and one target at a time, one number after another,
// after the formulas. It knows the weights by their names and shares no code with what it checks.
#pragma once

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "layers/parameters.h"
#include "models/options.h"

namespace fovea {

class SlowTransducer {
 public:
  // Both must outlive it.
  SlowTransducer(const Parameters& parameters, const ModelOptions& options)
      : parameters_(parameters), options_(options) {}

  // What a step of decoder.style = luong without feeding knows about each position.
  struct Positions {
    std::vector<double> scores;
    std::vector<std::vector<double>> log_probabilities;  // of every symbol, if it comes from there
  };
  std::vector<Positions> positions(std::vector<int> source, std::vector<int> target, int start, int stop) const {
    source.push_back(stop);
    target.insert(target.begin(), start);
    const Encoded encoded = encode("encoder", options_.encoder, source);
    std::vector<Cells> layers = bridge(encoded);
    std::vector<Positions> steps;
    for (const int symbol : target) {
      const Vector state = run_layers(row("decoder.embedding.table", symbol), {}, layers);
      const Vector hidden = plus(times(state, "output.state.weight"), row("output.state.bias"));
      Positions& step = steps.emplace_back();
      step.scores = scores(state, encoded.memory);
      for (const Vector& position : encoded.memory) {
        step.log_probabilities.push_back(choice(tanh_of(plus(hidden, times(position, "output.context")))));
      }
    }
    return steps;
  }

  // Of a rationale: the probability of choosing each symbol but the stop symbol.
  std::vector<double> chosen(std::vector<int> source, int stop) const {
    EncoderOptions options = options_.encoder;
    options.layers = 1;
    options.bidirectional = true;
    source.push_back(stop);
    const Encoded encoded = encode("rationale", options, source);
    std::vector<double> all;
    for (std::size_t i = 0; i + 1 < source.size(); ++i) {
      all.push_back(
          sigmoid_of(1 + times(encoded.memory[i], "rationale.choice.weight")[0] + row("rationale.choice.bias")[0]));
    }
    return all;
  }

  // -log p(target | source), both without their stop symbols.
  double loss(std::vector<int> source, std::vector<int> target, int start, int stop) const {
    source.push_back(stop);
    const Encoded encoded = encode("encoder", options_.encoder, source);
    std::vector<Cells> layers = bridge(encoded);
    Vector fed(options_.output.size);  // with input feeding: what the step before chose from
    double sum = 0;
    int previous = start;
    target.push_back(stop);
    for (const int symbol : target) {
      sum -= log_probabilities(previous, encoded, layers, fed)[symbol];
      previous = symbol;
    }
    return sum;
  }

 private:
  using Vector = std::vector<double>;
  struct Cells {
    Vector h, c;
  };
  struct Encoded {
    std::vector<Vector> memory;
    std::vector<Cells> last;  // of each layer
  };

  const Parameters::Entry& entry(const std::string& name) const {
    for (const Parameters::Entry& e : parameters_.entries()) {
      if (e.name == name) return e;
    }
    throw std::out_of_range(name);
  }
  double weight(const std::string& name, int row, int column) const {
    const Parameters::Entry& e = entry(name);
    return static_cast<double>(parameters_.values(e)[row * e.shape.last() + column]);
  }
  int columns(const std::string& name) const { return entry(name).shape.last(); }
  Vector row(const std::string& name, int index = 0) const {
    Vector values;
    for (int j = 0; j < columns(name); ++j) values.push_back(weight(name, index, j));
    return values;
  }
  Vector times(const Vector& x, const std::string& name) const {
    Vector y(columns(name));
    for (int i = 0; i < std::ssize(x); ++i) {
      for (int j = 0; j < std::ssize(y); ++j) y[j] += x[i] * weight(name, i, j);
    }
    return y;
  }
  static Vector plus(Vector a, const Vector& b) {
    for (int i = 0; i < std::ssize(a); ++i) a[i] += b[i];
    return a;
  }
  static Vector joined(Vector a, const Vector& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  static Vector tanh_of(Vector x) {
    for (double& value : x) value = std::tanh(value);
    return x;
  }
  static double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

  // Hochreiter & Schmidhuber 1997 with forget gate, and Cho 2014 with the reset gate after the product.
  Cells cell(const std::string& name, const std::string& kind, const Vector& x, const Vector& context,
             const Cells& before) const {
    Vector from_x = plus(times(x, name + ".input"), row(name + ".bias"));
    if (!context.empty()) from_x = plus(from_x, times(context, name + ".context"));
    Vector from_h = times(before.h, name + ".state");
    const int size = static_cast<int>(before.h.size());
    Cells after = before;
    if (kind == "lstm") {
      const Vector gates = plus(from_x, from_h);
      for (int j = 0; j < size; ++j) {
        const double in = sigmoid_of(gates[j]), forget = sigmoid_of(gates[size + j]);
        const double candidate = std::tanh(gates[2 * size + j]), out = sigmoid_of(gates[3 * size + j]);
        after.c[j] = forget * before.c[j] + in * candidate;
        after.h[j] = out * std::tanh(after.c[j]);
      }
      return after;
    }
    from_h = plus(from_h, row(name + ".state_bias"));
    for (int j = 0; j < size; ++j) {
      const double reset = sigmoid_of(from_x[j] + from_h[j]), update = sigmoid_of(from_x[size + j] + from_h[size + j]);
      const double candidate = std::tanh(from_x[2 * size + j] + reset * from_h[2 * size + j]);
      after.h[j] = (1 - update) * candidate + update * before.h[j];
    }
    return after;
  }

  Encoded encode(const std::string& part, const EncoderOptions& e, const std::vector<int>& source) const {
    Encoded out;
    for (const int symbol : source) out.memory.push_back(row(part + ".embedding.table", symbol));
    const int positions = static_cast<int>(source.size());
    for (int layer = 0; layer < e.layers; ++layer) {
      const std::string name = part + ".layer" + std::to_string(layer);
      std::vector<Vector> above(source.size());
      Cells forward{Vector(e.size), Vector(e.size)}, backward = forward;
      for (int i = 0; i < positions; ++i) {
        forward = cell(name + ".forward", e.cell, out.memory[i], {}, forward);
        above[i] = forward.h;
      }
      for (int i = positions - 1; i >= 0 && e.bidirectional; --i) {
        backward = cell(name + ".backward", e.cell, out.memory[i], {}, backward);
        above[i] = joined(above[i], backward.h);
      }
      for (int i = 0; i < positions && e.residual && layer > 0; ++i) above[i] = plus(above[i], out.memory[i]);
      out.memory = above;
      if (e.bidirectional) forward = {joined(forward.h, backward.h), joined(forward.c, backward.c)};
      if (e.cell == "gru") forward.c = forward.h;  // all there is to begin a decoder's c with
      out.last.push_back(forward);
    }
    return out;
  }

  std::vector<Cells> bridge(const Encoded& encoded) const {
    const DecoderOptions& d = options_.decoder;
    const bool as_it_is = std::ssize(encoded.last[0].h) == d.size && options_.encoder.cell == d.cell;
    Vector mean(encoded.memory[0].size());
    for (const Vector& position : encoded.memory) mean = plus(mean, position);
    for (double& value : mean) value /= static_cast<double>(encoded.memory.size());
    const auto first = [&](const std::string& name, const Vector& last) {
      if (d.bridge == "zero") return Vector(d.size);
      if (d.bridge == "learned") return row(name);
      if (d.bridge == "last" && as_it_is) return last;
      return tanh_of(plus(times(d.bridge == "last" ? last : mean, name + ".weight"), row(name + ".bias")));
    };
    std::vector<Cells> layers;
    for (int layer = 0; layer < d.layers; ++layer) {
      const int beside = std::max(0, layer + options_.encoder.layers - d.layers);  // the top layers stand side by side
      Cells cells{first("decoder.bridge.h" + std::to_string(layer), encoded.last[beside].h), {}};
      if (d.cell == "lstm") cells.c = first("decoder.bridge.c" + std::to_string(layer), encoded.last[beside].c);
      layers.push_back(cells);
    }
    return layers;
  }

  // Bahdanau 2015: e_i = v' tanh(W q + U k_i + b), c = sum_i softmax(e)_i k_i
  Vector scores(const Vector& query, const std::vector<Vector>& memory) const {
    const std::string name = "attention.additive";
    const Vector asked = plus(times(query, name + ".query.weight"), row(name + ".key.bias")), v = row(name + ".v");
    Vector all;
    for (const Vector& position : memory) {
      const Vector hidden = tanh_of(plus(asked, times(position, name + ".key.weight")));
      double& score = all.emplace_back(0);
      for (int j = 0; j < std::ssize(hidden); ++j) score += hidden[j] * v[j];
    }
    return all;
  }
  Vector attend(const Vector& query, const std::vector<Vector>& memory) const {
    const Vector asked = scores(query, memory);
    Vector context(memory[0].size());
    double total = 0;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      total += std::exp(asked[i]);
      for (int j = 0; j < std::ssize(context); ++j) context[j] += std::exp(asked[i]) * memory[i][j];
    }
    for (double& value : context) value /= total;
    return context;
  }

  // One step of all layers; what the top one makes.
  Vector run_layers(Vector x, const Vector& context, std::vector<Cells>& layers) const {
    for (int layer = 0; layer < options_.decoder.layers; ++layer) {
      const std::string name = "decoder.layer" + std::to_string(layer);
      layers[layer] = cell(name, options_.decoder.cell, x, layer == 0 ? context : Vector(), layers[layer]);
      x = options_.decoder.residual && layer > 0 ? plus(layers[layer].h, x) : layers[layer].h;
    }
    return x;
  }

  // log softmax(V t + b)
  Vector choice(const Vector& features) const {
    Vector logits = plus(times(features, "output.choice.weight"), row("output.choice.bias"));
    double total = 0;
    for (const double logit : logits) total += std::exp(logit);
    for (double& logit : logits) logit -= std::log(total);
    return logits;
  }

  Vector log_probabilities(int previous, const Encoded& encoded, std::vector<Cells>& layers, Vector& fed) const {
    const DecoderOptions& d = options_.decoder;
    const bool luong = d.style == "luong";
    const Vector embedding = row("decoder.embedding.table", previous);
    Vector context;
    if (d.style == "bahdanau") context = attend(layers.back().h, encoded.memory);
    const Vector state = run_layers(embedding, luong && d.feeding ? fed : context, layers);
    if (luong) context = attend(state, encoded.memory);
    Vector hidden = plus(times(state, "output.state.weight"), row("output.state.bias"));
    if (!luong) hidden = plus(hidden, times(embedding, "output.embedding"));
    if (!context.empty()) hidden = plus(hidden, times(context, "output.context"));
    fed = tanh_of(hidden);
    return choice(fed);
  }

  const Parameters& parameters_;
  const ModelOptions& options_;
};

}  // namespace fovea
