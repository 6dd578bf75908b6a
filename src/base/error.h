// Errors are exceptions that say what was wanted and what was found. Those in between may add to what is said; only
// cli/complaint.cc turns them into exit codes.
// Where a message speaks of what the caller may give, it names the input in backticks: leave longer lines out with
// `max_length`. The command line puts the flag in its place (cli/flags.h).
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace fovea {

// The value is the exit code of the command line.
enum class ErrorKind { failure = 1, usage = 2, data = 3, model = 4, gate = 5 };

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// data_error("{}:{}: no tab", file, line)
template <class... Args>
Error usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::usage, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error data_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::data, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error model_error(fmt::format_string<Args...> text, Args&&... args) {
  return {ErrorKind::model, fmt::format(text, std::forward<Args>(args)...)};
}

// check(n == m, "softmax: the mask has {} positions, the scores have {}", n, m)
template <class... Args>
void check(bool ok, fmt::format_string<Args...> text, Args&&... args) {
  if (!ok) [[unlikely]] {
    throw Error(ErrorKind::failure, fmt::format(text, std::forward<Args>(args)...));
  }
}

}  // namespace fovea
