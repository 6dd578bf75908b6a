#include "decoding/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "decoding/attention_totals.h"
#include "decoding/sampling.h"
#include "decoding/writable.h"
#include "kernels/find.h"

namespace fovea {

namespace {

constexpr double impossible = -std::numeric_limits<double>::infinity();

// A symbol written, and what was written before it.
struct Node {
  int parent = -1;
  std::int32_t symbol = 0;
  float log_probability = 0;
};

struct Hypothesis {
  double log_probability = impossible;
  int node = -1;              // its last symbol; -1 before the first
  AttentionTotals attention;  // empty if no rule asks
};

struct Candidate {
  double log_probability;
  int hypothesis;
  std::int32_t symbol;
};

bool better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  if (a.hypothesis != b.hypothesis) return a.hypothesis < b.hypothesis;
  return a.symbol < b.symbol;
}

// One source's share of the search.
struct Beam {
  int source = 0;  // its place in the caller's batch
  int max_steps = 0;
  std::int64_t sample = 0;
  std::vector<Hypothesis> alive;
  std::vector<Node> nodes;
  std::vector<StepExplanation> explanations;  // of each node, if asked for
  struct Finished {
    double score;
    int node;
    bool stopped;
    double log_probability;
    bool abstained;
  };
  std::vector<Finished> finished;  // best first, those that were cut off behind all others; at most `beam`
};

void finish(Beam& beam, Beam::Finished done, const SearchOptions& options) {
  const auto place = std::ranges::find_if(
      beam.finished, [&](const auto& f) { return f.stopped != done.stopped ? done.stopped : f.score < done.score; });
  beam.finished.insert(place, done);
  if (static_cast<int>(beam.finished.size()) > options.beam) beam.finished.pop_back();
}

class Search {
 public:
  Search(const Parameters& parameters, StepModel& model, const SearchOptions& options, const SearchSymbols& symbols,
         const Rules& rules, const SearchSources& sources, SearchArenas& arenas)
      : parameters_(parameters),
        model_(model),
        options_(options),
        symbols_(symbols),
        rules_(rules),
        sources_(sources),
        arenas_(arenas),
        restricted_(rules.restrict()),
        needing_attention_(rules.needing_attention()) {
    may_stop_ = std::ranges::find(symbols.never, symbols.stop) == symbols.never.end();
    if (options.sample > 0) {
      sampling_.emplace(options.sample, static_cast<std::uint64_t>(options.seed), symbols.never);
    }
  }

  std::vector<std::vector<Answer>> run();

 private:
  State start(Pass& pass);
  void extend(Beam& beam, int column, const StepResult& result, int length);
  void end(Beam& beam, const Hypothesis& written, int length, bool stopped) const;
  bool done(const Beam& beam, int length) const;
  std::vector<std::int32_t> written(const Beam& beam, int node) const;
  std::optional<NextSymbols> allowed_next(const Beam& beam, const Hypothesis& hypothesis) const;
  std::vector<Candidate> continuations(const Beam& beam, int column, Tensor log_probabilities, int step) const;
  std::vector<Candidate> candidates(const Beam& beam, int column, Tensor log_probabilities) const;
  std::vector<Candidate> draws(const Beam& beam, int column, Tensor log_probabilities, int step) const;
  StepExplanation explain(const StepResult& result, int row, std::int32_t symbol) const;
  void keep_cells(std::vector<StepExplanation>& steps) const;
  int row(int hypothesis, int column) const { return hypothesis * columns_ + column; }
  std::vector<Answer> answers(const Beam& beam) const;
  void leave_only(std::vector<Beam>& beams, const std::vector<std::int32_t>& staying);

  const Parameters& parameters_;
  StepModel& model_;
  const SearchOptions& options_;
  const SearchSymbols& symbols_;
  const Rules& rules_;
  const SearchSources& sources_;
  SearchArenas& arenas_;
  bool restricted_;                     // rules have a say in what comes next
  std::string_view needing_attention_;  // which option does; empty: none
  std::optional<Sampling> sampling_;
  bool may_stop_ = true;
  std::size_t maps_ = 0;                // of the model, once a step is explained
  int columns_ = 0;                     // sources still in the batch
  std::vector<std::int32_t> origin_;    // [beam, columns] which row of the last step each row goes on from
  std::vector<std::int32_t> previous_;  // [beam, columns] the symbol it wrote
};

// No living hypothesis can still enter the list.
bool Search::done(const Beam& beam, int length) const {
  double best = impossible;
  for (const Hypothesis& h : beam.alive) best = std::max(best, h.log_probability);
  if (best == impossible) return true;
  if (static_cast<int>(beam.finished.size()) < options_.beam) return false;
  if (options_.beam == 1) return true;
  return rules_.best_score(best, std::max(beam.max_steps, length)) <= beam.finished.back().score;
}

// As rules see it.
std::vector<std::int32_t> Search::written(const Beam& beam, int node) const {
  std::vector<std::int32_t> symbols;
  for (; node >= 0; node = beam.nodes[node].parent) {
    const std::int32_t symbol = beam.nodes[node].symbol;
    if (symbol != symbols_.stop && symbol != symbols_.silent) symbols.push_back(symbol);
  }
  std::ranges::reverse(symbols);
  return symbols;
}

// Nothing where everything may come.
std::optional<NextSymbols> Search::allowed_next(const Beam& beam, const Hypothesis& hypothesis) const {
  if (!restricted_) return {};
  NextSymbols next;
  rules_.restrict(written(beam, hypothesis.node), next);
  if (symbols_.silent) next.always(*symbols_.silent);
  return next;
}

// Few of thousands of symbols come into question: the rest are passed over by a bound on their log-probability.
std::vector<Candidate> Search::candidates(const Beam& beam, int column, Tensor log_probabilities) const {
  const int symbols = log_probabilities.shape().last();
  // Each hypothesis may have its stop symbol among the best, and that takes nobody's place.
  const auto wanted = static_cast<std::size_t>(options_.beam == 1 ? 1 : 2 * options_.beam);
  std::vector<Candidate> best;
  for (int h = 0; h < static_cast<int>(beam.alive.size()); ++h) {
    const double before = beam.alive[h].log_probability;
    if (before == impossible) continue;
    const Real* log_p = log_probabilities.data() + std::ptrdiff_t(row(h, column)) * symbols;
    const std::optional<NextSymbols> allowed = allowed_next(beam, beam.alive[h]);
    const auto consider = [&](std::int32_t symbol) {
      const Candidate candidate = {before + static_cast<double>(log_p[symbol]), h, symbol};
      if (best.size() == wanted && !better(candidate, best.back())) return;
      if (std::ranges::find(symbols_.never, symbol) != symbols_.never.end()) return;
      if (allowed && !allowed->allows(symbol)) return;
      best.insert(std::ranges::upper_bound(best, candidate, better), candidate);
      if (best.size() > wanted) best.pop_back();
    };
    if (const auto listed = allowed ? allowed->listed() : std::nullopt) {
      for (const std::int32_t symbol : *listed) {
        if (symbol < symbols && (writable(log_p[symbol]) || allowed->forces(symbol))) consider(symbol);
      }
      continue;
    }
    const auto next = [&](std::int32_t from) {
      Real least = least_writable;
      if (best.size() == wanted) {  // rounded down: what is exactly as good as the last is turned away below
        const auto needed = static_cast<Real>(best.back().log_probability - before);
        least = std::max(least, std::nextafter(needed, std::numeric_limits<Real>::lowest()));
      }
      return from + kernels::find_at_least(log_p + from, symbols - from, least);
    };
    for (std::int32_t symbol = next(0); symbol < symbols; symbol = next(symbol + 1)) {
      if (writable(log_p[symbol])) consider(symbol);
    }
  }
  return best;
}

// One for each hypothesis that is still being drawn.
std::vector<Candidate> Search::draws(const Beam& beam, int column, Tensor log_probabilities, int step) const {
  const auto symbols = static_cast<std::size_t>(log_probabilities.shape().last());
  std::vector<Candidate> drawn;
  for (int h = 0; h < options_.beam; ++h) {
    const double before = beam.alive[h].log_probability;
    if (before == impossible) continue;
    const auto log_p = log_probabilities.values().subspan(static_cast<std::size_t>(row(h, column)) * symbols, symbols);
    std::optional<std::int32_t> symbol;
    if (const auto allowed = allowed_next(beam, beam.alive[h])) {
      std::vector<Real> left(log_p.begin(), log_p.end());
      for (std::int32_t s = 0; s < std::ssize(left); ++s) {
        if (!allowed->allows(s)) left[s] = -std::numeric_limits<Real>::infinity();
        if (allowed->forces(s)) left[s] = std::max(left[s], least_writable + 1);
      }
      symbol = sampling_->draw(left, beam.sample, h, step);
    } else {
      symbol = sampling_->draw(log_p, beam.sample, h, step);
    }
    if (symbol) drawn.push_back({before + static_cast<double>(log_p[*symbol]), h, *symbol});
  }
  return drawn;
}

// How the hypotheses of a source may go on, best first; `step` symbols have been written.
std::vector<Candidate> Search::continuations(const Beam& beam, int column, Tensor log_probabilities, int step) const {
  const auto given = [&](std::int32_t symbol) -> std::vector<Candidate> {
    std::vector<Candidate> all;
    for (int h = 0; h < std::ssize(beam.alive); ++h) {
      if (beam.alive[h].log_probability == impossible) continue;
      const Real* log_p = log_probabilities.data() + std::ptrdiff_t(row(h, column)) * log_probabilities.shape().last();
      all.push_back({beam.alive[h].log_probability + static_cast<double>(log_p[symbol]), h, symbol});
    }
    return all;
  };
  if (!sources_.prefixes.empty() && step < std::ssize(*sources_.prefixes[beam.source])) {
    return given((*sources_.prefixes[beam.source])[static_cast<std::size_t>(step)]);
  }
  if (sources_.targets.empty()) {
    return sampling_ ? draws(beam, column, log_probabilities, step) : candidates(beam, column, log_probabilities);
  }
  const std::vector<std::int32_t>& target = *sources_.targets[beam.source];
  return given(step < std::ssize(target) ? target[static_cast<std::size_t>(step)] : symbols_.stop);
}

StepExplanation Search::explain(const StepResult& result, int row, std::int32_t symbol) const {
  StepExplanation out;
  const int symbols = result.log_probabilities.shape().last();
  const Real* log_p = result.log_probabilities.data() + std::ptrdiff_t(row) * symbols;
  out.probability = std::exp(static_cast<double>(log_p[symbol]));
  std::vector<std::int32_t> order(static_cast<std::size_t>(symbols));
  std::iota(order.begin(), order.end(), 0);
  const auto count = std::min<std::ptrdiff_t>(options_.alternatives, symbols);
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](std::int32_t a, std::int32_t b) { return log_p[a] != log_p[b] ? log_p[a] > log_p[b] : a < b; });
  for (std::ptrdiff_t i = 0; i < count && writable(log_p[order[i]]); ++i) {
    out.alternatives.emplace_back(order[i], std::exp(static_cast<double>(log_p[order[i]])));
  }
  const auto kept = [&](auto values) { return values.first(std::min(values.size(), options_.limits.positions)); };
  for (const StepLook& look : result.looks) {
    if (out.looks.size() == options_.limits.maps) break;
    const auto scores = kept(look.scores_of(row)), weights = kept(look.weights_of(row));
    double squares = 0;
    for (const Real value : look.context_of(row)) squares += static_cast<double>(value) * static_cast<double>(value);
    const AttentionRow row = {{scores.begin(), scores.end()}, {weights.begin(), weights.end()}, std::sqrt(squares)};
    out.looks.push_back({row, look.layer, look.head});
  }
  if (result.gate) out.gate = static_cast<double>(result.gate.data()[row]);
  return out;
}

void Search::keep_cells(std::vector<StepExplanation>& steps) const {
  if (steps.empty() || steps[0].looks.empty()) return;
  const std::size_t cells = std::max<std::size_t>(1, steps.size() * steps[0].looks[0].weights.size());
  const std::size_t maps = std::max<std::size_t>(1, options_.limits.cells / cells);
  for (StepExplanation& step : steps) step.looks.resize(std::min(step.looks.size(), maps));
}

// `length` symbols have been written once this step is done, the stop symbol counted.
void Search::extend(Beam& beam, int column, const StepResult& result, int length) {
  std::vector<Hypothesis> next(static_cast<std::size_t>(options_.beam));
  std::vector<bool> stopped(beam.alive.size());
  const bool last = length == beam.max_steps;  // for the stop symbol, if it may be written
  int living = 0;
  for (const Candidate& c : continuations(beam, column, result.log_probabilities, length - 1)) {
    const bool stops = c.symbol == symbols_.stop || symbols_.one_step;
    if (!stops && (living == options_.beam || (last && may_stop_))) continue;
    const int from = row(c.hypothesis, column);
    Hypothesis extended = {c.log_probability, static_cast<int>(beam.nodes.size()), beam.alive[c.hypothesis].attention};
    const Real log_p =
        result.log_probabilities.data()[std::ptrdiff_t(from) * result.log_probabilities.shape().last() + c.symbol];
    beam.nodes.push_back({beam.alive[c.hypothesis].node, c.symbol, static_cast<float>(log_p)});
    if (options_.alternatives > 0) {
      maps_ = result.looks.size();
      const bool kept = static_cast<std::size_t>(length) <= options_.limits.steps;
      beam.explanations.push_back(kept ? explain(result, from, c.symbol) : StepExplanation());
    }
    if (!needing_attention_.empty()) add_attention(result, from, needing_attention_, extended.attention);
    if (stops) {
      stopped[static_cast<std::size_t>(c.hypothesis)] = true;
      end(beam, extended, length, true);
    } else {
      const int place = sampling_ ? c.hypothesis : living;  // draws keep theirs: it says which random numbers are next
      origin_[row(place, column)] = from;
      previous_[row(place, column)] = c.symbol;
      next[place] = std::move(extended);
      ++living;
    }
    if (options_.beam == 1) break;  // greedy: the best symbol, be it the stop symbol
  }
  for (std::size_t h = 0; h < stopped.size() && last && may_stop_; ++h) {
    if (!stopped[h] && beam.alive[h].log_probability != impossible) end(beam, beam.alive[h], length - 1, false);
  }
  for (const Hypothesis& written : next) {
    if (last && !may_stop_ && written.log_probability != impossible) end(beam, written, length, false);
  }
  beam.alive = std::move(next);
}

// One that has stopped, or for which no room is left.
void Search::end(Beam& beam, const Hypothesis& hypothesis, int length, bool stopped) const {
  const std::vector<std::int32_t> symbols = written(beam, hypothesis.node);
  const Written answer = {symbols, hypothesis.log_probability, std::max(1, length), hypothesis.attention};
  finish(beam, {rules_.score(answer), hypothesis.node, stopped, hypothesis.log_probability, rules_.abstain(answer)},
         options_);
}

std::vector<Answer> Search::answers(const Beam& beam) const {
  std::vector<Answer> out;
  for (const Beam::Finished& finished : beam.finished) {
    if (static_cast<int>(out.size()) == options_.nbest) break;
    Answer answer;
    answer.score = finished.score;
    answer.finished = finished.stopped;
    answer.log_probability = finished.log_probability;
    answer.abstained = finished.abstained;
    for (int node = finished.node; node >= 0; node = beam.nodes[node].parent) {
      if (beam.nodes[node].symbol != symbols_.stop) answer.symbols.push_back(beam.nodes[node].symbol);
      answer.step_log_probabilities.push_back(beam.nodes[node].log_probability);
      if (!beam.explanations.empty()) answer.steps.push_back(beam.explanations[node]);
    }
    std::ranges::reverse(answer.symbols);
    std::ranges::reverse(answer.step_log_probabilities);
    std::ranges::reverse(answer.steps);
    answer.steps.resize(std::min(answer.steps.size(), options_.limits.steps));
    keep_cells(answer.steps);
    answer.maps = maps_;
    out.push_back(std::move(answer));
  }
  if (out.empty()) {  // a model that gives no symbol any chance
    Answer none;
    none.score = none.log_probability = impossible;
    none.finished = false;
    none.abstained = rules_.abstain({{}, impossible, 1});
    out.push_back(std::move(none));
  }
  return out;
}

// Rows of sources that are done leave the batch.
void Search::leave_only(std::vector<Beam>& beams, const std::vector<std::int32_t>& staying) {
  const int left = static_cast<int>(staying.size());
  std::vector<std::int32_t> origin, previous;
  for (int h = 0; h < options_.beam; ++h) {
    for (const std::int32_t column : staying) {
      origin.push_back(origin_[row(h, column)]);
      previous.push_back(previous_[row(h, column)]);
    }
  }
  origin_ = std::move(origin);
  previous_ = std::move(previous);
  for (int i = 0; i < left; ++i) {
    if (i != staying[i]) beams[i] = std::move(beams[staying[i]]);
  }
  beams.resize(staying.size());
  columns_ = left;
  if (left > 0) model_.keep(staying);
}

// The first step of a search has one hypothesis a source, later ones `beam`; draws are `beam` from the first.
State Search::start(Pass& pass) {
  State first = model_.start(pass);
  previous_.assign(static_cast<std::size_t>(sampling_ ? options_.beam : 1) * columns_, symbols_.start);
  if (!sampling_) return first;
  for (int h = 0; h < options_.beam; ++h) {
    for (int column = 0; column < columns_; ++column) origin_.push_back(column);
  }
  return first.rows(pass, origin_);
}

std::vector<std::vector<Answer>> Search::run() {
  columns_ = model_.sources();
  std::vector<std::vector<Answer>> out(static_cast<std::size_t>(columns_));
  std::vector<Beam> beams(static_cast<std::size_t>(columns_));
  for (int s = 0; s < columns_; ++s) {
    check(sources_.max_steps[s] >= 1, "search needs room for at least one symbol");
    beams[s].source = s;
    beams[s].max_steps = sources_.max_steps[s];
    if (sampling_) beams[s].sample = sources_.samples[s];
    const AttentionTotals none(needing_attention_.empty() ? 0 : static_cast<std::size_t>(sources_.lengths[s]), 0.0);
    beams[s].alive.assign(static_cast<std::size_t>(sampling_ ? options_.beam : 1), {0.0, -1, none});
  }
  State state;
  for (int length = 1; columns_ > 0; ++length) {
    if (options_.stop_signal && *options_.stop_signal != 0) throw SearchStopped{};
    Pass pass(parameters_, length % 2 ? arenas_.odd : arenas_.even);
    Drawing drawing = {Random(static_cast<std::uint64_t>(options_.seed), Purpose::sampling), {}};
    std::vector<std::int64_t> drawn_for;
    if (sampling_) {
      for (const Beam& beam : beams) drawn_for.push_back(beam.sample);
      drawing.samples = drawn_for;
      pass.draw(drawing);
    }
    const State now = length == 1 ? start(pass) : state.rows(pass, origin_);
    const StepResult result = model_.step(pass, now, previous_);
    // Places without a hypothesis go on from the first row of their source.
    origin_.resize(static_cast<std::size_t>(options_.beam) * columns_);
    for (std::size_t i = 0; i < origin_.size(); ++i) origin_[i] = static_cast<std::int32_t>(i) % columns_;
    previous_.assign(origin_.size(), symbols_.stop);
    std::vector<std::int32_t> staying;
    for (int column = 0; column < columns_; ++column) {
      extend(beams[column], column, result, length);
      Beam& beam = beams[column];
      if (length >= beam.max_steps || done(beam, length)) {
        out[beam.source] = answers(beam);
        beam.alive.assign(static_cast<std::size_t>(options_.beam), {});
      } else {
        staying.push_back(column);
      }
    }
    // Moving the rest together costs a copy of their memory: only when it saves a quarter of the work.
    if (4 * static_cast<int>(staying.size()) <= 3 * columns_) leave_only(beams, staying);
    state = result.state;
  }
  return out;
}

}  // namespace

std::vector<std::vector<Answer>> search(const Parameters& parameters, StepModel& model, const SearchOptions& options,
                                        const SearchSymbols& symbols, const Rules& rules, const SearchSources& sources,
                                        SearchArenas& arenas) {
  check(options.beam >= 1 && options.nbest >= 1 && options.nbest <= options.beam,
        "a beam of {} with the {} best: wanted is 1 <= nbest <= beam", options.beam, options.nbest);
  check(options.sample >= 0 && std::isfinite(options.sample), "sample {}: wanted is 0 or more", options.sample);
  const auto one_each = [&](std::size_t count, const char* what) {
    check(static_cast<int>(count) == model.sources(), "{} {} for {} sources", count, what, model.sources());
  };
  one_each(sources.max_steps.size(), "limits");
  if (!rules.needing_attention().empty()) one_each(sources.lengths.size(), "lengths");
  if (options.sample > 0) one_each(sources.samples.size(), "samples");
  if (!sources.targets.empty()) {
    one_each(sources.targets.size(), "targets");
    check(options.beam == 1 && options.sample == 0, "targets are given: there is nothing to search for or to draw");
  }
  return Search(parameters, model, options, symbols, rules, sources, arenas).run();
}

}  // namespace fovea
