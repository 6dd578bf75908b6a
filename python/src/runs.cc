// Training and comparing, and what there is to choose from, as Python has them.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "base/json.h"
#include "calls.h"
#include "parts.h"
#include "texts.h"

namespace fovea::python {

namespace {

void declare(FieldVisitor& visit, TrainingInput& data) {
  visit("file", data.file, "lines of source<TAB>target, plain or packed");
  visit("source_file", data.source_file, "sources, one a line");
  visit("target_file", data.target_file, "targets, one a line");
  visit("alignment_file", data.alignment_file, "links such as 0-0 1-2, one line for each pair");
  visit("dev", data.dev, "held-out lines (default: a part of the data)");
  visit("dev_source", data.dev_source, "held-out sources");
  visit("dev_target", data.dev_target, "held-out targets");
  visit("lexicon", data.lexicon, "source<TAB>target<TAB>probability, for outputs that look symbols up");
  visit("on_bad_line", data.on_bad_line, "fail, or skip it and count", one_of({"fail", "skip"}));
}

void declare(FieldVisitor& visit, ConfigInput& config) {
  visit("preset", config.preset, "a published system by name");
  visit("config_file", config.config_file, "settings as TOML");
  visit("columns", config.columns, "what each column has");
  visit("max_length", config.max_length, "longest line in characters; 0: 1000", between(0, 1'000'000));
  visit("seed", config.seed, "of every random choice; -1: as the settings have it", between(-1, 2'000'000'000));
}

constexpr int max_threads = 256;

struct TrainAsked {
  TrainRequest request;
  std::string folder, from;

  void fields(FieldVisitor& visit) {
    declare(visit, request.data);
    declare(visit, request.config);
    visit("folder", folder, "for the model and all about it; if it holds a run, that goes on");
    visit("from", from, "a model to begin with");
    visit("threads", request.threads, "worker threads; 0: all", between(0, max_threads));
    visit("stop_after", request.stop_after, "how long to train");
    visit("save_every", request.save_every, "how often to save, beside every validation");
    visit("keep", request.keep, "so many of the last validated models stay", between(0, 1000));
    visit("fresh", request.fresh, "start over even if the folder holds a run");
    visit("command", request.command, "for report and card: how to do it again");
  }
};

struct CompareAsked {
  CompareRequest request;
  std::string folder;

  void fields(FieldVisitor& visit) {
    declare(visit, request.data);
    declare(visit, request.config);
    visit("folder", folder, "for the runs, one in it for each");
    visit("threads", request.threads, "worker threads; 0: all", between(0, max_threads));
    visit("seeds", request.seeds, "runs of each combination", between(1, 1000));
    visit("stop_after", request.stop_after, "how long each trains");
    visit("command", request.command, "for the page: how to do it again");
  }
};

// How progress is shown, and where it goes: "text" to be printed, "validation" for whoever wants the numbers.
struct Shown {
  Mailbox& letters;
  ProgressMode mode = ProgressMode::none;
  int width = 80;
  bool colour = false;
};

ProgressMode mode_by(const std::string& name) {
  return name == "live" ? ProgressMode::live : name == "plain" ? ProgressMode::plain : ProgressMode::none;
}

class Watching : public ProgressView {
 public:
  explicit Watching(const Shown& shown)
      : ProgressView([&letters = shown.letters](std::string_view text) { letters.put("text", std::string(text)); },
                     shown.mode, shown.width, shown.colour),
        letters_(shown.letters) {}

  void validated(const ValidationReport& report) override {
    Json metrics = Json::object();
    for (const auto& [name, value] : report.metrics) metrics[name] = value;
    const Json object = {{"update", report.update},
                         {"epoch", report.epoch},
                         {"seconds", report.seconds},
                         {"training_loss", report.training_loss},
                         {"held_out_loss", report.held_out_loss},
                         {"metrics", metrics},
                         {"best", report.best}};
    letters_.put("validation", json_text(object));
    ProgressView::validated(report);
  }
  void ended() override { finish(); }

 private:
  Mailbox& letters_;
};

class CompareWatching : public CompareObserver {
 public:
  explicit CompareWatching(const Shown& shown) : shown_(shown) {}

  void noticed(const std::string& text) override { say(text); }
  void chose(const std::vector<Choice>& all) override {
    if (shown_.mode != ProgressMode::none) shown_.letters.put("text", describe(all));
  }
  // In the process of the run nobody listens: that has no Python.
  void done(const PlannedRun& run, const RunRecord& record, bool before) override {
    if (shown_.mode == ProgressMode::none) return;
    say(fmt::format("{}: {}{}", run.title, describe(record, run.config), before ? " (done before)" : ""));
  }

 private:
  void say(const std::string& line) { shown_.letters.put("text", line + "\n"); }

  const Shown& shown_;
};

std::vector<std::string> columns_of(const std::string& text) {
  return text.empty() ? std::vector<std::string>() : Columns::parse(text).names();
}

void take_rows(TrainingInput& data, const std::string& columns, nb::object rows, nb::object held_out) {
  if (!rows.is_none()) data.examples = examples_of(nb::cast<nb::list>(rows), columns_of(columns));
  if (!held_out.is_none()) data.held_out = examples_of(nb::cast<nb::list>(held_out), columns_of(columns));
}

Json to_json(const TrainResult& result) {
  Json object = {{"ending", result.ending == Ending::interrupted ? "interrupted"
                            : result.ending == Ending::finished  ? "finished"
                                                                 : "stopped"},
                 {"reason", result.reason},
                 {"updates", result.updates},
                 {"seconds", result.seconds},
                 {"best_loss", result.best_loss},
                 {"learned", result.learned},
                 {"metrics", Json::object()}};
  if (std::string missing = what_was_not_learned(result); !missing.empty()) object["warning"] = std::move(missing);
  if (result.best) {
    for (const auto& [name, value] : result.best->metrics) object["metrics"][name] = value;
  }
  return object;
}

std::string train_here(const std::string& options, const std::vector<std::string>& settings, nb::object rows,
                       nb::object held_out, const std::string& mode, int width, bool colour, nb::object take) {
  TrainAsked asked;
  set_fields(asked, options);
  TrainRequest& request = asked.request;
  request.folder = asked.folder;
  request.from = asked.from;
  request.config.settings = settings;
  take_rows(request.data, request.config.columns, rows, held_out);
  Mailbox letters;
  Watching view({letters, mode_by(mode), width, colour});
  request.observer = &view;
  Call call;
  request.stop_signal = &call.stop;
  TrainResult result;
  run_apart(call, [&] { result = train(request); }, &letters, take);
  return json_text(to_json(result));
}

std::string compare_here(const std::string& options, const std::vector<std::string>& settings,
                         const std::vector<std::pair<std::string, std::vector<std::string>>>& vary, nb::object rows,
                         nb::object held_out, const std::string& mode, nb::object take) {
  CompareAsked asked;
  set_fields(asked, options);
  CompareRequest& request = asked.request;
  request.folder = asked.folder;
  request.config.settings = settings;
  for (const auto& [name, values] : vary) request.varied.push_back({name, values});
  take_rows(request.data, request.config.columns, rows, held_out);
  // A run is a fork of this process: what other threads hold locked would stay so there.
  if (Call::under_way() > 0) {
    throw usage_error("another thread is training, answering or comparing; compare while none is");
  }
  Mailbox letters;
  const Shown shown = {letters, mode_by(mode)};
  CompareWatching view(shown);
  request.observer = &view;
  Call call;
  request.stop_signal = &call.stop;
  Comparison comparison;
  run_apart(call, [&] { comparison = compare(request); }, &letters, take);
  return comparison_to_json(comparison);
}

// Every field as (name, value, help, what is allowed if that is a list of names).
template <class Options>
std::vector<std::tuple<std::string, std::string, std::string, std::vector<std::string>>> table(Options options) {
  std::vector<std::tuple<std::string, std::string, std::string, std::vector<std::string>>> all;
  for (const Field& field : FieldsRef(options).visit().fields()) {
    all.emplace_back(field.name, value_text(field), field.help, field.rule.names);
  }
  return all;
}

}  // namespace

void add_runs(nb::module_& m) {
  m.def("train", &train_here, nb::arg("options"), nb::arg("settings"), nb::arg("rows").none(),
        nb::arg("held_out").none(), nb::arg("mode"), nb::arg("width"), nb::arg("colour"), nb::arg("take"));
  m.def("compare", &compare_here, nb::arg("options"), nb::arg("settings"), nb::arg("vary"), nb::arg("rows").none(),
        nb::arg("held_out").none(), nb::arg("mode"), nb::arg("take"));
  m.def("settings", [] { return table(Config()); });
  m.def("train_options", [] { return table(TrainAsked()); });
  m.def("compare_options", [] { return table(CompareAsked()); });
  m.def("presets", [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Preset& preset : presets()) all.emplace_back(preset.name, preset.toml);
    return all;
  });
  m.def("makers", [] {
    std::vector<std::pair<std::string, std::string>> all;
    for (const Maker* maker : makers()) all.emplace_back(maker->name, maker->description);
    return all;
  });
  m.def(
      "make",
      [](const std::string& name, std::int64_t count, std::int64_t seed) {
        const Maker& maker = makers().find(name);
        nb::list all;
        for (std::int64_t i = 0; i < count; ++i) {
          const Example made = maker.make(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(i));
          all.append(nb::make_tuple(to_python(made.source), to_python(made.target)));
        }
        return all;
      },
      nb::arg("name"), nb::arg("count"), nb::arg("seed"));
  m.def(
      "average",
      [](const std::vector<std::string>& paths, int last) {
        Files files;
        const auto chosen = last > 0 ? last_kept_models(files, paths.at(0), last)
                                     : std::vector<std::filesystem::path>(paths.begin(), paths.end());
        const std::unique_ptr<Model> mean = average_models(files, chosen);
        const std::string all = encode_safetensors({mean->metadata(), mean->arrays()});
        return nb::bytes(all.data(), all.size());
      },
      nb::arg("paths"), nb::arg("last"));
}

}  // namespace fovea::python
