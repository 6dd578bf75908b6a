// Work done in a process of its own, so that its memory can be measured and its end is not ours.
#pragma once

#include <atomic>
#include <functional>

namespace fovea {

struct ChildEnd {
  int signal = 0;  // that ended it; 0: it came to its end
  double peak_mib = 0;
};

// Does the work in a child process and waits for it. The work is given a flag that is not 0 once it is to stop: when
// `stop_signal` is not 0, when SIGINT, SIGTERM or SIGHUP reaches the child, or when the parent dies. From then on it
// lives no longer than its parent. No other thread should be inside the library: what it holds locked stays so in the
// child.
ChildEnd run_in_child(const std::function<void(const std::atomic<int>& stop)>& work,
                      const std::atomic<int>* stop_signal);

}  // namespace fovea
