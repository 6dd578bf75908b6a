#include <csignal>

#include "cli/command_line.h"
#include "cli/complaint.h"

int main(int count, char** words) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a write that fails
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow
  try {
    return fovea::read_command_line(count, words)();
  } catch (...) {
    return fovea::complain();
  }
}
