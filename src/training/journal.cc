#include "training/journal.h"

#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "tasks/metrics/metric.h"

namespace fovea {

namespace {

constexpr std::size_t max_text = 200;     // of a wrong answer
constexpr std::size_t max_line = 10'000;  // bytes, that can be asked again

template <class Use>
void for_each_event(const std::string& text, const Use& use) {
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line(text.data() + start, end - start);
    const Json event = parse_json(line);
    // The last line of a killed run may be cut short.
    if (event.is_object() && event.value("update", Json()).is_number_integer()) use(event, line);
    start = end + 1;
  }
}

Json list_in(const Json& event, const char* key) {
  return event.contains(key) && event[key].is_array() ? event[key] : Json::array();
}

Json value_in(const Json& item, const char* key) { return item.is_object() ? item.value(key, Json()) : Json(); }

std::string text_in(const Json& item, const char* key) {
  const Json value = value_in(item, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t count_in(const Json& item, const char* key) {
  const Json value = value_in(item, key);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
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

Json event_json(const UpdateReport& r) {
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
  return event;
}

Json event_json(const ValidationReport& r) {
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
  // What is shown of a line is not always all of it.
  const auto add = [&](const char* list, Json item, const std::string& line) {
    if (!line.empty() && line.size() <= max_line && item["source"] != line) item["line"] = line;
    event[list].push_back(std::move(item));
  };
  for (const Sample& s : r.samples) {
    add("samples", {{"source", s.answer.read_text()}, {"target", s.target}, {"answer", s.answer.text}}, s.line);
  }
  for (const WrongAnswer& w : r.worst) {
    add("worst",
        {{"source", beginning(w.source, max_text)},
         {"target", beginning(w.target, max_text)},
         {"answer", beginning(w.answer, max_text)},
         {"edits", w.edits}},
        w.line);
  }
  for (const Confusion& c : r.confusions) {
    event["confusions"].push_back(
        {{"wanted", beginning(c.wanted, max_text)}, {"written", beginning(c.written, max_text)}, {"count", c.count}});
  }
  return event;
}

void Journal::write(const UpdateReport& report) { add(json_text(event_json(report)) + "\n"); }
void Journal::write(const ValidationReport& report) { add(json_text(event_json(report)) + "\n"); }

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
      for (const Json& sample : list_in(event, "samples")) {
        r.samples.push_back({text_in(sample, "target"), {}});
        r.samples.back().answer.source_text = text_in(sample, "source");
        r.samples.back().answer.text = text_in(sample, "answer");
      }
      for (const Json& wrong : list_in(event, "worst")) {
        r.worst.push_back(
            {text_in(wrong, "source"), text_in(wrong, "target"), text_in(wrong, "answer"), count_in(wrong, "edits")});
      }
      for (const Json& one : list_in(event, "confusions")) {
        r.confusions.push_back({text_in(one, "wanted"), text_in(one, "written"), count_in(one, "count")});
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
      r.gradient_norm = number("gradient_norm");
      events.updates.push_back(r);
    }
  });
  return events;
}

std::string journal_list(Files& files, const std::filesystem::path& path, std::size_t max_bytes) {
  std::vector<std::string> lines;
  if (files.exists(path)) {
    for_each_event(files.read(path), [&](const Json&, std::string_view line) { lines.emplace_back(line); });
  }
  std::size_t first = lines.size();
  for (std::size_t bytes = 0; first > 0 && bytes + lines[first - 1].size() < max_bytes;) bytes += lines[--first].size();
  std::string list = "[";
  for (std::size_t i = first; i < lines.size(); ++i) list += (i > first ? "," : "") + lines[i];
  return list + "]";
}

}  // namespace fovea
