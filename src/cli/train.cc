#include <charconv>
#include <chrono>
#include <csignal>
#include <fmt/core.h>
#include <thread>

#include "base/counted.h"
#include "base/ranks.h"
#include "base/streams.h"
#include "base/utf8.h"
#include "base/watchdog.h"
#include "cli/commands.h"
#include "cli/complaint.h"
#include "cli/flags.h"
#include "cli/out.h"
#include "cli/signals.h"
#include "cli/terminal.h"
#include "fovea.h"
#include "runs/beginning_input.h"
#include "runs/run_report.h"
#include "server/listener.h"
#include "server/watch.h"

namespace fovea {

namespace {

// Of ranks the first alone speaks; signals reach all of them.
class TrainingView : public ProgressView {
 public:
  TrainingView(bool speaks, ProgressMode mode, const Terminal& terminal)
      : ProgressView(
            speaks ? say : [](std::string_view) {}, mode, terminal.width, terminal.colour != TerminalColour::none) {}
  void started(const RunStart& run) override {
    catch_stop_signals();
    ProgressView::started(run);
  }
  void ended() override {
    all_is_saved();
    finish();
  }

 private:
  std::string worded(const std::string& text) const override { return with_flags(text); }
};

int port_of(const std::string& text) {
  int port = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 0 || port > 65535) {
    throw usage_error("--watch {}: a port is wanted, 1 to 65535, or 0 for any that is free", printable(text));
  }
  return port;
}

// The page that shows a training, and the thread that serves it.
class WatchPage {
 public:
  WatchPage(int port, const std::string& folder, Observer& next)
      : observer_(next, events_, folder),
        api_({}, {std::filesystem::path(folder).lexically_normal().filename().string(), events_}, 1),
        listener_({.port = port, .drain = 1}, api_),
        thread_([this] { listener_.run(stop_); }) {
    say(fmt::format("watch it on {}\n", listener_.url()));
  }
  ~WatchPage() {
    stop_ = 1;
    thread_.join();
  }
  WatchPage(const WatchPage&) = delete;
  WatchPage& operator=(const WatchPage&) = delete;

  Observer& observer() { return observer_; }

 private:
  std::shared_ptr<EventLog> events_ = std::make_shared<EventLog>();
  WatchedTraining observer_;
  Api api_;
  Listener listener_;
  std::atomic<int> stop_ = 0;
  std::thread thread_;
};

}  // namespace

int TrainCommand::run() const {
  const std::unique_ptr<Ranks> ranks = join_ranks();
  const Watchdog watchdog(*ranks, std::chrono::duration<double>(rank_timeout), [&](const Error& missing) {
    try {
      throw missing;
    } catch (...) {
      ranks->abort(complain());
    }
  });
  try {
    return run(*ranks);
  } catch (...) {
    if (ranks->count() == 1) throw;
    // What is wrong on all ranks is said once: while the others wait, rank 0 ends them.
    if (!ranks->first()) std::this_thread::sleep_for(std::chrono::seconds(2));
    const int code = complain();
    ranks->abort(code);
    return code;
  }
}

int TrainCommand::run(Ranks& ranks) const {
  const Terminal terminal = terminal_of(stderr);
  TrainingView view(ranks.first(), parse_progress(progress, terminal), terminal);
  if (print_config) {
    Files disk;
    const auto beginning = find_beginning(disk, from, folder, fresh, ranks);
    const Config* const known = beginning ? &beginning->model->config() : nullptr;
    Config config = make_config(input, known);
    if (!files.empty()) {
      const TrainingData lines =
          read_training_data(files, config, [&](const std::string& text) { view.noticed(text); });
      ResolvedConfig resolved = make_config(input, config.columns, lines.training, known);
      if (!resolved.choices.empty()) view.chose(resolved.choices);
      config = std::move(resolved.config);
    }
    if (ranks.first()) write_out(to_toml(config));
    flush_out();
    return 0;
  }
  TrainRequest request;
  request.data = files;
  request.config = input;
  request.folder = folder;
  request.from = from;
  request.keep = keep;
  request.threads = threads;
  request.stop_after = parse_period(stop_after);
  request.save_every = parse_period(save_every);
  request.fresh = fresh;
  request.film = !no_film;
  request.command = command_line;
  std::optional<WatchPage> page;
  if (!watch.empty() && ranks.first()) page.emplace(port_of(watch), folder, view);
  request.observer = page ? &page->observer() : &view;
  request.stop_signal = &stop_signal();
  request.ranks = &ranks;
  const TrainResult result = train(request);
  // Another rank may be the one that was told to stop.
  const int code = result.ending == Ending::interrupted ? 128 + (stop_signal() ? stop_signal().load() : SIGTERM) : 0;
  if (!ranks.first()) return code;
  if (result.ending == Ending::interrupted) {
    say(fmt::format("stopped at update {} and saved; the same command{} goes on from there\n", result.updates,
                    fresh ? " without --fresh" : ""));
    if (result.best) {
      say(fmt::format("the model there is that of the best validation, at update {}\n", result.best->update));
    } else {
      say(fmt::format("there is no model yet: validations make it, every {}, or --stop-after, which validates first\n",
                      to_string(result.config.training.validate_every)));
    }
    return code;
  }
  say(fmt::format("{}: {} after {}, {}\n", folder,
                  result.ending == Ending::finished ? "finished (" + result.reason + ")" : "stopped, as asked",
                  counted(result.updates, "update"), describe_seconds(result.seconds)));
  say("best on the held-out lines: " + describe(result.best, result.config) + "\n");
  if (const std::string missing = what_was_not_learned(result); !missing.empty()) say(with_flags(missing) + "\n");
  return 0;
}

}  // namespace fovea
