// The signals that ask a program to save and end.
#pragma once

#include <csignal>

namespace fovea {

inline constexpr int stop_signals[] = {SIGINT, SIGTERM, SIGHUP};

// A SIGHUP that is ignored, as nohup has it, stays ignored.
inline void handle_stop_signals(void (*handler)(int)) {
  for (const int signal : stop_signals) {
    struct sigaction now = {};
    sigaction(signal, nullptr, &now);
    if (signal != SIGHUP || now.sa_handler != SIG_IGN) std::signal(signal, handler);
  }
}

}  // namespace fovea
