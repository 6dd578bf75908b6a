// Signals that ask a command to save and end, and work done in a process of its own that they reach, too.
#pragma once

#include <atomic>
#include <functional>

namespace fovea {

// 0 until SIGINT, SIGTERM or SIGHUP has come, then its number.
const std::atomic<int>& stop_signal();

// From now on the first of them only sets stop_signal(), and the second ends the process at once, with the child of
// run_in_child if there is one: what is on disk is sound at every instant. A SIGHUP that is ignored, as nohup has it,
// stays ignored.
void catch_stop_signals();

// Until all_is_saved() has been called that second end is a failure; after it, the exit code is that of a process that
// was stopped after saving.
void all_is_saved();

struct ChildEnd {
  int signal = 0;  // that ended it; 0: it came to its end
  double peak_mib = 0;
};

// Does the work in a child process, after catch_stop_signals and while no other thread runs. The signals are passed on
// to the child, where they set stop_signal() and nothing else; so does the parent's death.
ChildEnd run_in_child(const std::function<void()>& work);

}  // namespace fovea
