#include "runs/compared_run.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/core.h>

#include "base/as_size.h"
#include "base/counted.h"
#include "base/json.h"
#include "base/random.h"
#include "evaluation/evaluation.h"
#include "inference/predictor.h"
#include "runs/child_process.h"
#include "runs/run_folder.h"
#include "show/json.h"
#include "tasks/criterion.h"
#include "tasks/references.h"
#include "tasks/normalised.h"

namespace fovea {

namespace {

constexpr const char* record_file_name = "compared.json";
constexpr std::array<const char*, 4> state_names = {"begun", "done", "cannot", "failed"};  // by RunState

// All that decides about the figures.
Json key_of(const PlannedRun& run, const ComparedTask& task) {
  return {{"configuration", parse_json(to_json(run.config))},
          {"data set", fmt::format("{:016x}", task.data_hash)},
          {"budget", to_string(task.budget)},
          {"number of threads", task.threads}};
}

Json json_of(const RunRecord& record) {
  const ComparedRun& f = record.figures;
  Json examples = Json::array(), metrics = Json::object();
  for (const Figure& figure : f.metrics) {
    metrics[figure.name] = {figure.value, figure.interval->low, figure.interval->high};
  }
  for (const Output& output : f.examples) examples.push_back(parse_json(output_to_json(output)));
  return {{"state", state_names[as_size(record.state)]},
          {"reason", record.reason},
          {"lines", f.lines},
          {"metrics", metrics},
          {"parameters", f.parameters},
          {"updates", f.updates},
          {"train_seconds", f.train_seconds},
          {"predict_seconds", f.predict_seconds},
          {"peak_mib", f.peak_mib},
          {"examples", examples}};
}

RunRecord record_from(const Json& object) {
  RunRecord record;
  const auto name = std::ranges::find(state_names, object.at("state").get<std::string>());
  check(name != state_names.end(), "unknown state");
  record.state = static_cast<RunState>(name - state_names.begin());
  object.at("reason").get_to(record.reason);
  ComparedRun& f = record.figures;
  object.at("lines").get_to(f.lines);
  for (Figure& figure : known_figures()) {
    if (!object.at("metrics").contains(figure.name)) continue;  // not known yet when the run was made
    const auto [value, low, high] = object.at("metrics").at(figure.name).get<std::array<double, 3>>();
    figure.value = value;
    figure.interval = {low, high};
    f.metrics.push_back(std::move(figure));
  }
  object.at("parameters").get_to(f.parameters);
  object.at("updates").get_to(f.updates);
  object.at("train_seconds").get_to(f.train_seconds);
  object.at("predict_seconds").get_to(f.predict_seconds);
  object.at("peak_mib").get_to(f.peak_mib);
  for (const Json& output : object.at("examples")) f.examples.push_back(output_from_json(json_text(output)));
  return record;
}

void write_record(const PlannedRun& run, const ComparedTask& task, const RunRecord& record) {
  Json object = json_of(record);
  object["key"] = key_of(run, task);
  Files files;
  files.write_atomically(run.folder / record_file_name, json_text(object, 1) + "\n");
}

// What the best model of the run answers, and how long that takes.
void measure_answers(const PlannedRun& run, const ComparedTask& task, const std::atomic<int>& stop, RunRecord& record) {
  ComparedRun& figures = record.figures;
  Predictor predictor(run.folder, task.threads);
  if (!predictor.model().task().traits().reads) return;  // nothing is asked: the loss says all
  const std::vector<Referenced> questions =
      group_references(task.data.held_out, predictor.model().task().target_tokenizer());
  std::vector<SourceText> shown;
  for (const std::size_t i : choose_samples(questions, compared_examples)) {
    shown.push_back({questions[i].source, questions[i].features, questions[i].others, {}, questions[i].folder()});
  }
  // The first answers also warm it up: memory is had, weights are in the cache.
  for (Prediction& p : predictor.predict(
           shown, {.answer = {.search = {.alternatives = 5, .limits = sample_limits, .stop_signal = &stop}}})) {
    figures.examples.push_back(std::move(p.output));
  }
  const Evaluation evaluation =
      evaluate(predictor, task.data.held_out,
               {.answer = {.search = {.stop_signal = &stop}}, .attention = false, .perplexity = false});
  figures.lines = std::ssize(questions);
  figures.predict_seconds = evaluation.answer_seconds;
  figures.metrics = metric_figures(evaluation);
  if (const std::int64_t cut = evaluation.measured.unfinished(); cut > 0) {
    record.reason += fmt::format("{}{} cut at `max_output`", record.reason.empty() ? "" : ", ", counted(cut, "answer"));
  }
}

// In the child.
RunRecord train_and_measure(const PlannedRun& run, const ComparedTask& task, const std::atomic<int>& stop,
                            Observer& observer) {
  RunRecord record;
  try {
    const DirectoryLock lock(run.folder);
    Files files;
    {
      TrainingData data = task.data;
      const NormalisedCells normalised(run.config);
      for (auto* examples : {&data.training, &data.held_out}) normalised.apply(*examples);
      Trainer trainer(run.config, std::move(data),
                      {.folder = run.folder, .threads = task.threads, .stop_after = task.budget, .stop_signal = &stop},
                      files, observer);
      if (trainer.run() == Ending::interrupted) return record;
      record.figures.parameters = trainer.model().parameters().count();
      record.figures.updates = trainer.progress().update;
      record.figures.train_seconds = trainer.progress().seconds;
      if (trainer.best_loss() && !trainer.has_left_single_symbols()) record.reason = "nothing was learned";
    }
    measure_answers(run, task, stop, record);
    record.state = RunState::done;
  } catch (const SearchStopped&) {
  } catch (const Error& e) {
    record.state = e.kind() == ErrorKind::usage ? RunState::cannot : RunState::failed;
    record.reason = e.what();
  } catch (const std::bad_alloc&) {
    record.state = RunState::failed;
    record.reason = "not enough memory";
  } catch (const std::exception& e) {
    record.state = RunState::failed;
    record.reason = e.what();
  }
  return record;
}

}  // namespace

std::uint64_t fingerprint(const TrainingData& data) {
  const std::uint64_t lexicon = data.lexicon ? data.lexicon->fingerprint() : 0;
  return hash_examples(hash_examples(lexicon, data.training), data.held_out);
}

std::string describe(const RunRecord& record, const Config& config) {
  const ComparedRun& f = record.figures;
  const Metric& metric = leading_metric(Criterion(config.training.metric));
  const Figure* figure = find_figure(f.metrics, metric.name);
  switch (record.state) {
    case RunState::done:
      return fmt::format("update {}, {} {:.4f}, {:.0f} s{}{}", f.updates, metric.name, figure ? figure->value : 0.0,
                         f.train_seconds, record.reason.empty() ? "" : "; ", record.reason);
    case RunState::cannot:
      return "cannot: " + record.reason;
    case RunState::failed:
      return "failed: " + record.reason;
    case RunState::begun:
      break;
  }
  return "stopped and saved";
}

std::optional<RunRecord> find_record(const PlannedRun& run, const ComparedTask& task) {
  const std::filesystem::path path = run.folder / record_file_name;
  Files files;
  if (!files.exists(path)) return {};
  RunRecord record;
  Json key;
  try {
    const Json object = parse_json(files.read(path));
    key = object.at("key");
    record = record_from(object);
    record.figures.seed = run.config.training.seed;
  } catch (const std::exception& e) {
    throw data_error("{}: not the record of a run ({}); remove its folder to have the run made again", path.string(),
                     e.what());
  }
  const Json wanted = key_of(run, task);
  for (const auto& [name, value] : wanted.items()) {
    if (key.contains(name) && key[name] == value) continue;
    throw usage_error("{} holds a run with another {}; choose another `folder`, or remove this one",
                      run.folder.string(), name);
  }
  return record;
}

RunRecord do_run(const PlannedRun& run, const ComparedTask& task, Observer& observer) {
  Files files;
  files.make_directories(run.folder);
  const std::optional<RunRecord> before = find_record(run, task);
  RunRecord record;
  record.figures.peak_mib = before ? before->figures.peak_mib : 0;  // of an earlier part of the run
  write_record(run, task, record);
  files.write_atomically(run.folder / config_file_name, to_toml(run.config));
  const auto work = [&](const std::atomic<int>& stop) {
    write_record(run, task, train_and_measure(run, task, stop, observer));
  };
  const ChildEnd end = run_in_child(work, task.stop_signal);
  const double peak = std::max(record.figures.peak_mib, end.peak_mib);
  record = find_record(run, task).value();
  record.figures.peak_mib = peak;
  if (record.state == RunState::begun && !task.stopped()) {
    record.state = RunState::failed;
    record.reason = end.signal ? fmt::format("ended by signal {} ({})", end.signal, strsignal(end.signal))
                               : "ended without a result; the same comparison goes on from there";
  }
  write_record(run, task, record);
  return record;
}

}  // namespace fovea
