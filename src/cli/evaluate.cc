#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/nearest.h"
#include "base/streams.h"
#include "base/utf8.h"
#include "cli/columns_for.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/models.h"
#include "cli/out.h"
#include "data/pairs.h"
#include "inference/predictor.h"
#include "tasks/alignment_quality.h"
#include "inference/looking.h"
#include "tasks/metrics.h"
#include "tasks/references.h"

namespace fovea {

namespace {

struct Minimum {
  std::string metric;
  double value = 0;
};

Minimum parse_minimum(const std::string& text) {
  const std::size_t equals = text.find('=');
  Minimum minimum{text.substr(0, equals), 0};
  const char* start = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(start, end, minimum.value);
  if (failure != std::errc() || rest != end || minimum.metric.empty() || !std::isfinite(minimum.value)) {
    throw usage_error("--min {}: wanted is metric=value, such as exact=0.99", text);
  }
  return minimum;
}

// For error rates less is better.
bool lower_is_better(const std::string& metric) {
  return metric == "cer" || metric == "edit_distance" || metric == "aer" || metric == "unfinished" ||
         metric == "abstained";
}

bool is_count(const std::string& metric) {
  return metric == "lines" || metric == "sources" || metric == "unfinished" || metric == "abstained";
}

using Values = std::vector<std::pair<std::string, double>>;

constexpr std::array attention_metrics = {"entropy", "stop_mass"};
constexpr std::array link_metrics = {"aer", "link_mass", "link_mass_next", "link_mass_previous"};

int check_minimums(const std::vector<Minimum>& minimums, const Values& values) {
  int status = 0;
  for (const Minimum& minimum : minimums) {
    const auto found = std::ranges::find(values, minimum.metric, &Values::value_type::first);
    if (found == values.end()) {
      throw usage_error("--min {}: not measured here; entropy and stop_mass need attention, the others links as well",
                        minimum.metric);
    }
    const auto& [name, value] = *found;
    if (lower_is_better(name) ? value <= minimum.value : value >= minimum.value) continue;
    say(fmt::format("missed: {} is {:.6g}, wanted {} {:.6g}\n", name, value,
                    lower_is_better(name) ? "at most" : "at least", minimum.value));
    status = static_cast<int>(ErrorKind::gate);
  }
  return status;
}

void print_table(const Metrics& metrics, const Values& values) {
  for (const auto& [name, value] : values) {
    if (is_count(name)) {
      write_out(fmt::format("{:<18} {}\n", name, static_cast<std::int64_t>(value)));
    } else {
      write_out(fmt::format("{:<18} {:.4f}\n", name, value));
    }
  }
  write_out("\ntarget length  sources    exact      cer\n");
  for (const LengthRow& row : metrics.by_length()) {
    write_out(fmt::format("{:>6} - {:<6} {:>6}   {:.4f}   {:.4f}\n", row.shortest, row.longest, row.sources, row.exact,
                          row.cer));
  }
}

// Where the model looks while it writes the right answers; and says so where that misleads.
void add_attention(const Model& model, int threads, std::span<const Example> examples, Values& values) {
  std::vector<Encoding> encoded;
  for (const Example& example : examples) encoded.push_back(model.task().encode(example));
  const bool links = std::ranges::any_of(examples, [](const Example& e) { return !e.alignment.empty(); });
  Workers workers(threads);
  const std::vector<Looked> looked = look(model, workers, encoded);
  if (looked.empty()) {
    if (links) throw usage_error("the data have links, but this model has no attention to single source symbols");
    return;
  }
  AlignmentQuality quality;
  double flat = 0;
  for (std::size_t i = 0; i < looked.size(); ++i) {
    const Looked& one = looked[i];
    flat += std::log(std::max(1, one.positions)) / static_cast<double>(looked.size());
    if (one.weights.empty()) continue;
    if (!encoded[i].links.empty()) {
      quality.add(one.weights, one.steps, one.positions, encoded[i].links);
    } else {
      quality.add_unlinked(one.weights, one.steps, one.positions);
    }
  }
  values.emplace_back(attention_metrics[0], quality.entropy());
  values.emplace_back(attention_metrics[1], quality.stop_mass());
  if (links) {
    values.emplace_back(link_metrics[0], quality.aer());
    values.emplace_back(link_metrics[1], quality.mass());
    values.emplace_back(link_metrics[2], quality.shifted_mass());
    values.emplace_back(link_metrics[3], quality.shifted_back_mass());
  }
  const auto warn = [](const std::string& text) { say("warning: " + text + "\n"); };
  if (quality.stop_mass() > 0.3) {
    warn(fmt::format("{:.0f} % of the attention rests on the stop symbol: maps say little about words",
                     100 * quality.stop_mass()));
  }
  if (quality.entropy() > 0.8 * flat) warn("the attention is nearly flat: maps say little");
  if (links && std::max(quality.shifted_mass(), quality.shifted_back_mass()) > quality.mass() + 0.1) {
    warn(fmt::format("the attention is off by one: the step {} looks more at what a word comes from",
                     quality.shifted_mass() > quality.shifted_back_mass() ? "after" : "before"));
  }
}

void warn_of_features(std::span<const Referenced> questions, std::span<const Prediction> predictions) {
  std::vector<std::size_t> unknown;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    if (!predictions[i].unknown_feature.empty()) unknown.push_back(i);
  }
  if (unknown.empty()) return;
  say(
      fmt::format("warning: {} of {} sources have features that no line of the training data had (first: line {}, "
                  "\"{}\")\n",
                  unknown.size(), predictions.size(), questions[unknown[0]].line,
                  beginning(predictions[unknown[0]].unknown_feature)));
}

}  // namespace

int EvaluateCommand::run() const {
  std::vector<Minimum> wanted;
  for (const std::string& text : minimums) {
    wanted.push_back(parse_minimum(text));
    std::vector<std::string> known;
    for (const auto& [name, value] : Metrics().values()) known.push_back(name);
    known.emplace_back("abstained");
    known.insert(known.end(), attention_metrics.begin(), attention_metrics.end());
    known.insert(known.end(), link_metrics.begin(), link_metrics.end());
    if (std::ranges::find(known, wanted.back().metric) == known.end()) {
      throw unknown_name("metric", wanted.back().metric, known);
    }
  }
  const int asked = threads > 0 ? threads : Workers::default_count();
  const auto [models, data] = split_models(words);
  Predictor predictor(models, asked, int8 ? Precision::int8 : Precision::full);
  complain_of_threads(asked, predictor.threads());
  const Model& opened = predictor.model();
  const std::int64_t longest = max_length > 0 ? max_length : opened.config().max_length;
  if (data.empty()) opened.task().check_columns(Columns());  // of files with one column each
  std::vector<std::string> names = columns_for(opened, columns).names();
  if (columns.empty() && !alignment_file.empty()) std::ranges::replace(names, "alignment", "skip");
  const Pairs pairs = read_pairs({.file = data,
                                  .source_file = source_file,
                                  .target_file = target_file,
                                  .alignment_file = alignment_file,
                                  .columns = names,
                                  .bad_lines = parse_bad_lines(on_bad_line),
                                  .max_length = longest});
  if (const std::string left_out = describe(pairs); !left_out.empty()) say(left_out + "\n");
  const std::vector<Referenced> questions = group_references(pairs.examples, opened.task().target_tokenizer());
  std::vector<SourceText> sources;
  for (const Referenced& question : questions) sources.push_back({question.source, question.features});
  const auto predictions = predictor.predict(sources, {.answer = {.search = search}, .max_length = longest});
  Metrics metrics;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    metrics.add(
        {questions[i].references, predictions[i].output.text, predictions[i].output.finished, questions[i].lines});
  }
  warn_of_features(questions, predictions);
  Values values = metrics.values();
  values.emplace_back("abstained",
                      std::ranges::count(predictions, true, [](const Prediction& p) { return p.output.abstained; }));
  add_attention(opened, predictor.threads(), pairs.examples, values);
  if (json) {
    OrderedJson object;
    for (const auto& [name, value] : values) {
      if (is_count(name)) {
        object[name] = static_cast<std::int64_t>(value);
      } else {
        object[name] = value;
      }
    }
    write_out(json_text(object) + "\n");
  } else {
    print_table(metrics, values);
  }
  flush_out();
  return check_minimums(wanted, values);
}

}  // namespace fovea
