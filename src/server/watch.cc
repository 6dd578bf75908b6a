#include "server/watch.h"

#include "base/error.h"
#include "base/json.h"
#include "server/run_journal.h"
#include "show/json.h"
#include "training/journal.h"

namespace fovea {

namespace {

constexpr std::chrono::milliseconds between_updates(250);

std::string text_event(const char* name, const std::string& text) {
  return json_text(Json{{"event", name}, {"text", text}});
}

}  // namespace

void WatchedTraining::noticed(const std::string& text) {
  next_.noticed(text);
  events_->add("notice", text_event("notice", text));
}

void WatchedTraining::chose(const std::vector<Choice>& all) {
  next_.chose(all);
  choices_ = all;
}

void WatchedTraining::started(const RunStart& start) {
  next_.started(start);
  Json event = {{"event", "started"},
                {"training_lines", start.training_lines},
                {"held_out_lines", start.held_out_lines},
                {"source_symbols", start.source_symbols},
                {"target_symbols", start.target_symbols},
                {"weights", start.weights},
                {"updates_per_epoch", start.updates_per_epoch},
                {"padding_share", start.padding_share},
                {"resumed_from", start.resumed_from},
                {"settings_chosen", Json::array()}};
  for (const Choice& choice : choices_) {
    event["settings_chosen"].push_back({{"name", choice.name}, {"value", choice.value}, {"reason", choice.reason}});
  }
  events_->add("started", json_text(event));
  if (start.resumed_from == 0 || folder_.empty()) return;
  try {
    add_run(folder_, *events_);
  } catch (const Error& e) {  // the past is no reason to stop
    warned(e.what());
  }
}

void WatchedTraining::updated(const UpdateReport& report) {
  next_.updated(report);
  const auto now = std::chrono::steady_clock::now();
  if (now - last_update_ < between_updates) return;
  last_update_ = now;
  Json event = event_json(report);
  event["seconds_left"] = report.seconds_left;
  event["until"] = report.until;
  events_->add("update", json_text(event), true);
}

void WatchedTraining::filmed(const std::string& frame) {
  next_.filmed(frame);
  events_->add("film", film_event(parse_json(frame)), true);
}

void WatchedTraining::validated(const ValidationReport& report) {
  next_.validated(report);
  Json event = event_json(report);
  event["metric"] = report.metric;
  event["patience_left"] = report.patience_left;
  for (std::size_t i = 0; i < report.samples.size(); ++i) {
    event["samples"][i]["explanation"] = parse_json(output_to_json(report.samples[i].answer));
  }
  events_->add("validation", json_text(event), true);
}

void WatchedTraining::saved(const std::string& path, std::int64_t update) {
  next_.saved(path, update);
  events_->add("saved", json_text(Json{{"event", "saved"}, {"update", update}}), true);
}

void WatchedTraining::warned(const std::string& message) {
  next_.warned(message);
  events_->add("warning", text_event("warning", message), true);
}

void WatchedTraining::ended() {
  next_.ended();
  events_->add("ended", R"({"event":"ended"})");
  events_->end();
}

}  // namespace fovea
