#include <fmt/core.h>

#include <algorithm>

#include "attention/mechanism.h"
#include "base/json.h"
#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/out.h"
#include "runs/presets.h"
#include "data/makers/maker.h"
#include "data/source.h"
#include "data/tokenizer.h"
#include "decoding/rule.h"
#include "models/encoder.h"
#include "models/generator.h"
#include "models/input.h"
#include "models/join.h"
#include "models/objective_options.h"
#include "tasks/config.h"
#include "tasks/metrics/metric.h"
#include "tasks/task_kind.h"

namespace fovea {

namespace {

struct Row {
  std::string name;
  std::string what;
  std::string from;
};
struct Listing {
  std::string name;
  std::string about;
  std::vector<Row> rows;
};

template <class Kind>
Listing kinds(std::string name, std::string about, const Registry<Kind>& entries) {
  Listing listing{std::move(name), std::move(about), {}};
  for (const Kind* entry : entries) {
    listing.rows.push_back({std::string(entry->name), std::string(entry->formula), std::string(entry->paper)});
  }
  return listing;
}

// The first line of a preset is a comment that says what it is.
std::string first_comment(std::string_view toml) {
  const std::string_view line = toml.substr(0, toml.find('\n'));
  return std::string(line.starts_with("# ") ? line.substr(2) : line);
}

// Of lists whose members come from no paper.
template <class Kind>
Listing described(std::string name, std::string about, const Registry<Kind>& entries) {
  Listing listing{std::move(name), std::move(about), {}};
  for (const Kind* entry : entries) {
    listing.rows.push_back({std::string(entry->name), std::string(entry->description), ""});
  }
  return listing;
}

// With what else can be told to each, and to the likelihood itself.
Listing objective_settings() {
  const Listing named = kinds("objectives", "objective: what training makes small beside the likelihood", objectives());
  Listing all = {named.name, named.about, {}};
  ObjectiveOptions options;
  for (const Field& field : FieldsRef(options).visit().fields()) {
    const auto kind = std::ranges::find(named.rows, field.name, &Row::name);
    all.rows.push_back(kind != named.rows.end() ? *kind : Row{field.name, field.help, ""});
  }
  return all;
}

std::vector<Listing> listings() {
  std::vector<Listing> all = {
      described("tasks", "task: what is asked of a model", task_kinds()),
      described("sources", "source.kind: what a column holds that is read", sources()),
      kinds("inputs", "how a source becomes vectors; which one follows from source.kind", inputs()),
      kinds("joins", "join: how several sources serve one decoder", joins()),
      kinds("scores", "attention.score: how well a key matches the query", scores()),
      kinds("biases", "attention.bias: what position and history add to the scores", biases()),
      kinds("selects", "attention.select: how scores become weights", selects()),
      kinds("reads", "attention.read: what the weights take from the values", reads()),
      kinds("encoders", "encoder.kind: what reads the source", encoders()),
      kinds("decoders", "decoder.kind: what writes the target", decoders()),
      kinds("generators", "generator.kind: how a symbol is chosen", generators()),
      objective_settings(),
      kinds("rules", "what answers may be and are worth; set with options of fovea predict", decoding_rules())};
  Listing cut{"tokenizers", "source.tokenizer, target.tokenizer: what a symbol is", {}};
  for (const TokenizerKind* kind : tokenizers()) {
    cut.rows.push_back({std::string(kind->example), std::string(kind->description), ""});
  }
  all.push_back(cut);
  all.push_back(described("makers", "data sets for fovea make", makers()));
  Listing measured{
      "metrics",
      "training.metric, beside loss, and what fovea evaluate measures; docs/metrics.md has those of labels and others",
      {}};
  for (const Metric* metric : metrics()) {
    measured.rows.push_back(
        {std::string(metric->name),
         fmt::format("{}; {} is better", metric->description, metric->higher_is_better ? "more" : "less"),
         std::string(metric->paper)});
  }
  all.push_back(measured);
  Listing preset{"presets", "published systems for fovea train --preset", {}};
  for (const Preset& p : presets()) preset.rows.push_back({std::string(p.name), first_comment(p.toml), ""});
  all.push_back(preset);
  return all;
}

}  // namespace

std::vector<std::string> ListCommand::names() {
  std::vector<std::string> names;
  for (const Listing& listing : listings()) names.push_back(listing.name);
  names.emplace_back("settings");
  return names;
}

int ListCommand::run() const {
  if (what == "settings") {
    constexpr const char* chosen =
        "# What stands here suits no data in particular: train chooses by the data, and fovea check DATA says what.\n";
    write_out(json ? to_json(Config()) + "\n" : chosen + describe(Config()));
    flush_out();
    return 0;
  }
  OrderedJson object;
  std::string text;
  for (const Listing& listing : listings()) {
    if (!what.empty() && what != listing.name) continue;
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n", listing.name, listing.about);
    auto& rows = object[listing.name] = OrderedJson::array();
    for (const Row& row : listing.rows) {
      text += fmt::format("  {:<20} {}{}\n", row.name, row.what, row.from.empty() ? "" : "   (" + row.from + ")");
      rows.push_back({{"name", row.name}, {"what", row.what}, {"from", row.from}});
    }
    if (listing.rows.empty()) text += "  none yet\n";
  }
  if (text.empty()) throw unknown_name("list", what, names());
  if (what.empty()) text += "\nsettings: every setting for --set and --config; see fovea list settings\n";
  write_out(json ? json_text(object) + "\n" : text);
  flush_out();
  return 0;
}

}  // namespace fovea
