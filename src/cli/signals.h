// Signals that ask a command to save and end.
#pragma once

#include <atomic>

namespace fovea {

// 0 until SIGINT, SIGTERM or SIGHUP has come, then its number.
const std::atomic<int>& stop_signal();

// From now on the first of them only sets stop_signal(), and the second (the same one within half a second is still the
// first) ends the process at once: what is on disk is sound at every instant. A SIGHUP that is ignored, as nohup has
// it, stays ignored.
void catch_stop_signals();

// Until all_is_saved() has been called that second end is a failure; after it, the exit code is that of a process that
// was stopped after saving.
void all_is_saved();

}  // namespace fovea
