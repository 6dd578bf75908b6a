#include "training/journal.h"

#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "tasks/metrics/metric.h"

namespace fovea {

namespace {

template <class Use>
void for_each_event(const std::string& text, const Use& use) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line(text.data() + start, end - start);
    const Json event = parse_json(line);
    // The last line of a killed run may be cut short.
    if (event.is_object() && event.contains("update") && event["update"].is_number_integer()) use(event, line);
    start = end + 1;
  }
}

}  // namespace

Journal::Journal(Files& files, std::filesystem::path path, const Progress& progress)
    : files_(files), path_(std::move(path)) {
  std::string kept;
  if (progress.update > 0 && files_.exists(path_)) {
    for_each_event(files_.read(path_), [&](const Json& event, std::string_view line) {
      const auto update = event["update"].get<std::int64_t>();
      const bool done_again =
          progress.validating && update == progress.update && event.value("event", Json()) == "validation";
      const bool aside = event.value("aside", Json()) == true;
      if (update <= progress.update && !done_again && !aside) kept.append(line).push_back('\n');
    });
  }
  files_.write_atomically(path_, kept);
  size_ = kept.size();
}

void Journal::flush() {
  if (pending_.empty()) return;
  if (torn_) {
    const std::string written = files_.exists(path_) ? files_.read(path_).substr(0, size_) : "";
    files_.write_atomically(path_, written + pending_);
  } else {
    torn_ = true;
    files_.append(path_, pending_);
  }
  torn_ = false;
  size_ += pending_.size();
  pending_.clear();
}

void Journal::add(const std::string& line) {
  pending_ += line;
  try {
    flush();
  } catch (const Error&) {  // whoever saves the run learns of it
  }
}

void Journal::write(const UpdateReport& r) {
  Json event = {{"event", "update"},
                {"update", r.update},
                {"epoch", r.epoch},
                {"seconds", r.seconds},
                {"training_loss", r.training_loss},
                {"tokens_per_second", r.tokens_per_second},
                {"learning_rate", r.learning_rate},
                {"gradient_norm", r.gradient_norm},
                {"skipped", r.skipped}};
  if (r.terms.size() > 1) {
    for (const auto& [name, value] : r.terms) event["objective." + name] = value;
  }
  add(json_text(event) + "\n");
}

void Journal::write(const ValidationReport& r) {
  Json event = {{"event", "validation"},
                {"update", r.update},
                {"epoch", r.epoch},
                {"seconds", r.seconds},
                {"training_loss", r.training_loss},
                {"held_out_loss", r.held_out_loss},
                {"unfinished", r.unfinished},
                {"best", r.best}};
  for (const auto& [name, value] : r.metrics) event[name] = value;
  if (r.aside) event["aside"] = true;
  for (const Sample& s : r.samples) {
    event["samples"].push_back({{"source", s.answer.read_text()}, {"target", s.target}, {"answer", s.answer.text}});
  }
  add(json_text(event) + "\n");
}

JournalEvents read_journal(Files& files, const std::filesystem::path& path) {
  JournalEvents events;
  if (!files.exists(path)) return events;
  for_each_event(files.read(path), [&](const Json& event, std::string_view) {
    const auto number = [&](const char* key) {
      return event.contains(key) && event[key].is_number() ? event[key].get<double>() : 0.0;
    };
    const auto update = event["update"].get<std::int64_t>();
    if (event.contains("event") && event["event"] == "validation") {
      ValidationReport r;
      r.update = update;
      r.epoch = number("epoch");
      r.seconds = number("seconds");
      r.training_loss = number("training_loss");
      r.held_out_loss = number("held_out_loss");
      for (const std::string& name : metrics().names()) {
        if (event.contains(name) && event[name].is_number()) r.metrics.add(name, event[name].get<double>());
      }
      r.best = event.contains("best") && event["best"] == true;
      if (event.contains("samples") && event["samples"].is_array()) {
        for (const Json& sample : event["samples"]) {
          const auto text = [&](const char* key) {
            const bool there = sample.is_object() && sample.contains(key) && sample[key].is_string();
            return there ? sample[key].get<std::string>() : std::string();
          };
          r.samples.push_back({text("target"), {}});
          r.samples.back().answer.source_text = text("source");
          r.samples.back().answer.text = text("answer");
        }
      }
      events.validations.push_back(std::move(r));
    } else {
      UpdateReport r;
      r.update = update;
      r.epoch = number("epoch");
      r.seconds = number("seconds");
      r.training_loss = number("training_loss");
      r.tokens_per_second = number("tokens_per_second");
      r.learning_rate = number("learning_rate");
      events.updates.push_back(r);
    }
  });
  return events;
}

}  // namespace fovea
