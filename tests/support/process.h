// Another process: fed, listened to, interrupted and waited for, with a deadline, so that a test can fail but not hang.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/as_size.h"

namespace fovea {

struct Command {
  std::vector<std::string> words;                  // the program first
  std::vector<std::string> environment = {};       // NAME=value, beside what is inherited
  std::string folder = {};                         // to run in; empty: as the test
  bool folder_is_removed = false;                  // and gone by the time the program starts
  bool output_is_closed = false;                   // nobody reads its standard output
  bool streams_do_not_wait = false;                // all three are set to O_NONBLOCK
  std::optional<std::uint64_t> largest_file = {};  // bytes that any file may grow to
  int seconds = 120;                               // by when it must have ended
};

struct Outcome {
  int code = -1;   // exit code; -1 after a signal
  int signal = 0;  // that ended it
  std::string out;
  std::string err;
};

class Process {
 public:
  explicit Process(const Command& command) : deadline_(Clock::now() + std::chrono::seconds(command.seconds)) {
    int input[2], output[2], errors[2];
    if (pipe2(input, O_CLOEXEC) || pipe2(output, O_CLOEXEC) || pipe2(errors, O_CLOEXEC)) {
      throw std::runtime_error("no pipe");
    }
    // All memory is had before the fork: the child may only make system calls.
    const std::vector<std::string> variables = with_inherited(command.environment);
    const std::vector<const char*> words = pointers(command.words), environment = pointers(variables);
    if (command.output_is_closed) close(output[0]);
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error("no fork");
    if (pid_ == 0) {
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      dup2(errors[1], STDERR_FILENO);
      if (command.streams_do_not_wait) {
        for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) fcntl(file, F_SETFL, O_NONBLOCK);
      }
      signal(SIGPIPE, SIG_DFL);
      if (!command.folder.empty() && chdir(command.folder.c_str()) != 0) _exit(127);
      if (command.folder_is_removed && rmdir(command.folder.c_str()) != 0) _exit(127);
      if (command.largest_file) {
        const rlimit limit = {*command.largest_file, *command.largest_file};
        setrlimit(RLIMIT_FSIZE, &limit);
      }
      execve(words[0], const_cast<char**>(words.data()), const_cast<char**>(environment.data()));
      _exit(127);
    }
    ::close(input[0]);
    ::close(output[1]);
    ::close(errors[1]);
    input_ = input[1], output_ = output[0], errors_ = errors[0];
    fcntl(input_, F_SETFL, O_NONBLOCK);
    signal(SIGPIPE, SIG_IGN);  // a program may end before it has read all
  }
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    for (int* file : {&input_, &output_, &errors_}) close(*file);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void kill(int signal) { ::kill(pid_, signal); }

  // Short texts: a pipe holds them.
  void write(std::string_view text) {
    if (::write(input_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw std::runtime_error("the process does not read");
    }
  }

  // The next line of its standard output, or of its errors, without the newline; nothing after its end or the deadline.
  std::optional<std::string> read_line() { return read_line(outcome_.out, out_taken_, output_); }
  std::optional<std::string> read_error_line() { return read_line(outcome_.err, err_taken_, errors_); }

  // Feeds it, closes its input, and waits for its end.
  Outcome finish(std::string_view input = {}) {
    while (output_ >= 0 || errors_ >= 0) {
      if (input.empty()) close(input_);
      if (!exchange(input)) {
        kill(SIGKILL);
        throw std::runtime_error("the process does not end; it said: " + outcome_.err);
      }
    }
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    if (WIFEXITED(status)) outcome_.code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
    return outcome_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static std::vector<const char*> pointers(const std::vector<std::string>& texts) {
    std::vector<const char*> all;
    for (const std::string& text : texts) all.push_back(text.c_str());
    all.push_back(nullptr);
    return all;
  }
  static std::vector<std::string> with_inherited(std::vector<std::string> variables) {
    const std::size_t own = variables.size();
    for (char** entry = environ; *entry; ++entry) {
      const std::string_view variable = *entry, name = variable.substr(0, variable.find('=') + 1);
      const auto end = variables.begin() + static_cast<std::ptrdiff_t>(own);
      if (std::none_of(variables.begin(), end, [&](const std::string& v) { return v.starts_with(name); })) {
        variables.emplace_back(variable);
      }
    }
    return variables;
  }
  static void close(int& file) {
    if (file >= 0) ::close(file);
    file = -1;
  }

  // Moves what can be moved now, waiting for it until the deadline. False at the deadline.
  bool exchange(std::string_view& input) {
    pollfd files[] = {{input.empty() ? -1 : input_, POLLOUT, 0}, {output_, POLLIN, 0}, {errors_, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    if (poll(files, 3, left > 0 ? static_cast<int>(left) : 0) <= 0) return false;
    if (files[0].revents) {
      const ssize_t written = ::write(input_, input.data(), input.size());
      input.remove_prefix(written < 0 ? input.size() : as_size(written));
    }
    if (files[1].revents) take(output_, outcome_.out);
    if (files[2].revents) take(errors_, outcome_.err);
    return true;
  }
  static void take(int& file, std::string& text) {
    char bytes[4096];
    const ssize_t count = ::read(file, bytes, sizeof bytes);
    if (count <= 0) return close(file);
    text.append(bytes, as_size(count));
  }

  std::optional<std::string> read_line(const std::string& text, std::size_t& taken, const int& file) {
    std::string_view nothing;
    for (;;) {
      if (const std::size_t end = text.find('\n', taken); end != text.npos) {
        const std::size_t start = std::exchange(taken, end + 1);
        return text.substr(start, end - start);
      }
      if (file < 0 || !exchange(nothing)) return {};
    }
  }

  pid_t pid_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  std::size_t out_taken_ = 0, err_taken_ = 0;
  Outcome outcome_;
  Clock::time_point deadline_;
};

// The program under test.
inline Command fovea(std::vector<std::string> words) {
  words.insert(words.begin(), FOVEA_BINARY);
  return {std::move(words)};
}

inline Outcome run(const Command& command, std::string_view input = {}) { return Process(command).finish(input); }

// For EXPECT_TRUE; a failure shows the text.
inline testing::AssertionResult says(const std::string& text, std::string_view part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no \"" << part << "\" in: " << text;
}
inline testing::AssertionResult is_one_line(const std::string& text) {
  if (text.find('\n') + 1 == text.size()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "not one line: " << text;
}

}  // namespace fovea
