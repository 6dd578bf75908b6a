// A model of hand-made distributions: a table says what follows what was written.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "decoding/search.h"

namespace fovea {

constexpr int symbols = 6;
constexpr std::int32_t stop = 0, start = 4, unwanted = 5;  // 1, 2 and 3 are written
using Path = std::vector<std::int32_t>;
using Row = std::vector<double>;  // log-probability of each symbol
using Table = std::function<Row(int source, const Path& written)>;

// A state of [source, code of what was written], so that a row that got into the wrong place is noticed, and looks that
// say the same, if no others are given.
class TableModel : public StepModel {
 public:
  struct Look {
    int layer;
    int head;
    std::vector<double> weights;
  };
  using Looks = std::vector<Look>;
  struct Extras {
    std::function<Looks(int source, const Path& written)> looks;
    std::function<double(int source, const Path& written)> gate;
  };

  TableModel(Table table, int sources, Extras extras = {}) : table_(std::move(table)), extras_(std::move(extras)) {
    for (int s = 0; s < sources; ++s) kept_.push_back(s);
  }

  int sources() const override { return static_cast<int>(kept_.size()); }

  State start(Pass& pass) const override {
    Tensor x = pass.tape().make({sources(), 2});
    for (int s = 0; s < sources(); ++s) x.data()[2 * s] = Real(kept_[s]), x.data()[2 * s + 1] = 0;
    State state;
    state.set("path", x);
    return state;
  }

  StepResult step(Pass& pass, const State& state, Ids previous) const override {
    const Tensor before = state.get("path");
    const int rows = before.shape()[0];
    EXPECT_EQ(rows % sources(), 0);
    EXPECT_EQ(rows, std::ssize(previous));
    const Tensor path = pass.tape().make({rows, 2});
    StepResult result;
    for (int r = 0; r < rows; ++r) {
      const int source = static_cast<int>(before.data()[2 * r]);
      EXPECT_EQ(source, kept_[r % sources()]) << "row " << r << " holds another source's state";
      const int code = static_cast<int>(before.data()[2 * r + 1]) * symbols + previous[r];
      path.data()[2 * r] = Real(source);
      path.data()[2 * r + 1] = Real(code);
      const Path written = decode(code);
      put(pass, rows, r, table_(source, written), result.log_probabilities);
      const Looks looks = extras_.looks ? extras_.looks(source, written) : Looks();
      result.looks.resize(looks.size());
      for (std::size_t i = 0; i < looks.size(); ++i) {
        StepLook& look = result.looks[i];
        put(pass, rows, r, looks[i].weights, look.weights);
        look.scores = look.context = look.weights;
        look.layer = looks[i].layer;
        look.head = looks[i].head;
      }
      if (extras_.gate) put(pass, rows, r, {extras_.gate(source, written)}, result.gate);
    }
    if (!extras_.looks) result.looks = {{path, path, path}};
    result.state.set("path", path);
    return result;
  }

  void keep(Ids sources) override {
    std::vector<int> left;
    for (const std::int32_t s : sources) left.push_back(kept_[s]);
    kept_ = left;
  }

 private:
  static void put(Pass& pass, int rows, int row, const std::vector<double>& values, Tensor& into) {
    const int width = static_cast<int>(values.size());
    if (!into) into = pass.tape().make({rows, width});
    ASSERT_EQ(into.shape().last(), width);
    std::ranges::transform(values, into.data() + row * width, [](double x) { return static_cast<Real>(x); });
  }

  static Path decode(int code) {
    Path written;
    for (; code >= symbols; code /= symbols) written.insert(written.begin(), code % symbols);
    return written;  // the first, the start symbol, is left
  }

  Table table_;
  Extras extras_;
  std::vector<int> kept_;
};

inline Row normalise(Row logits) {
  double sum = 0;
  for (const double x : logits) sum += std::exp(x);
  for (double& x : logits) x = static_cast<double>(static_cast<Real>(x - std::log(sum)));
  return logits;
}

// Different for every source and everything written so far.
inline Random random_at(std::uint64_t seed, int source, const Path& written) {
  Random random = Random(seed, Purpose::data).at(static_cast<std::uint64_t>(source));
  for (const std::int32_t symbol : written) random = random.at(static_cast<std::uint64_t>(symbol));
  return random;
}

inline Table random_table(std::uint64_t seed) {
  return [seed](int source, const Path& written) {
    const Random random = random_at(seed, source, written);
    Row logits(symbols);
    for (int i = 0; i < symbols; ++i) logits[i] = 4 * random.uniform(static_cast<std::uint64_t>(i));
    return normalise(logits);
  };
}

// What is asked for, and of which symbols.
struct TableSearch : SearchOptions, SearchSymbols {
  double length_power = 1;  // as it is set in the options

  // A text of the table is digits, each a symbol.
  Rules rules_made() const {
    return rules.make({stop, [](std::string_view text) -> std::optional<Path> {
                         Path path;
                         for (const char digit : text) path.push_back(digit - '0');
                         if (std::ranges::any_of(path, [](int s) { return s < 1 || s > 3; })) return {};
                         return path;
                       }});
  }
};

inline TableSearch options(int beam, int nbest, double length_power = 1) {
  TableSearch o;
  o.beam = beam;
  o.nbest = nbest;
  o.length_power = length_power;
  set_field(o, fmt::format("length_power={}", length_power));
  o.start = start;
  o.stop = stop;
  o.never = {start, unwanted};
  return o;
}

inline std::vector<std::vector<Answer>> find(const Table& table, const TableSearch& o,
                                             const std::vector<int>& max_steps, const TableModel::Extras& extras = {},
                                             std::span<const int> lengths = {},
                                             std::span<const std::int64_t> samples = {}) {
  Parameters parameters;
  parameters.allocate();
  TableModel model(table, static_cast<int>(max_steps.size()), extras);
  SearchArenas arenas;
  return search(parameters, model, o, o, o.rules_made(), {max_steps, lengths, samples}, arenas);
}

inline std::vector<Answer> find_one(const Table& table, const TableSearch& o, int max_steps) {
  return find(table, o, {max_steps})[0];
}

// Every answer there is, best first, those that are cut off behind the others: in the last place only what would rather
// stop than go on, where it may, has come to its end. `penalty` is added to the score of what was written.
inline std::vector<Answer> enumerate(
    const Table& table, int source, const TableSearch& o, int max_steps,
    const std::function<double(const Path& written, bool stopped)>& penalty = [](const Path&, bool) { return 0.0; },
    const std::function<bool(const Path& written)>& allowed = [](const Path&) { return true; }) {
  std::vector<Answer> all;
  const std::function<void(const Path&, double)> extend = [&](const Path& written, double log_p) {
    const Row row = table(source, written);
    const int length = static_cast<int>(written.size()) + 1;
    const double root = std::pow(static_cast<double>(length), o.length_power);
    const auto may_write = [&](std::int32_t symbol) { return std::ranges::find(o.never, symbol) == o.never.end(); };
    bool cut = false;
    for (std::int32_t symbol = 0; symbol < symbols && length == max_steps; ++symbol) {
      Path longer = written;
      longer.push_back(symbol);
      cut = cut || (symbol != o.stop && may_write(symbol) && (!may_write(o.stop) || row[symbol] > row[o.stop]) &&
                    allowed(longer));
    }
    if (cut) {
      const double shorter = std::pow(std::max(1.0, length - 1.0), o.length_power);
      all.push_back({written, log_p / shorter + penalty(written, false), false, {}});
      return;
    }
    for (std::int32_t symbol = 0; symbol < symbols; ++symbol) {
      if (!may_write(symbol)) continue;
      const double now = log_p + row[symbol];
      Path next = written;
      if (symbol != o.stop) next.push_back(symbol);
      if (symbol == o.stop) {
        all.push_back({next, now / root + penalty(next, true), true, {}});
      } else if (length < max_steps) {
        extend(next, now);
      }
    }
  };
  extend({}, 0);
  std::ranges::stable_sort(all, std::greater(), [](const Answer& a) { return std::pair(a.finished, a.score); });
  return all;
}

inline double score_of(const Table& table, int source, const Answer& answer, double power) {
  Path written;
  double log_p = 0;
  for (const std::int32_t symbol : answer.symbols) {
    log_p += table(source, written)[symbol];
    written.push_back(symbol);
  }
  if (answer.finished) log_p += table(source, written)[stop];
  return log_p / std::pow(std::max(1.0, static_cast<double>(written.size() + answer.finished)), power);
}

}  // namespace fovea
