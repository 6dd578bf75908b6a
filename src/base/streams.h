// Standard input, output and error, in whatever state they were handed over: closed, full, without a reader, or set not
// to wait.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace fovea {

// To be called before anything is opened. A descriptor 0, 1 or 2 that is closed would be given to the next file that
// is, and what is meant for standard error would be written into it. What is put there can be neither read nor written.
void open_standard_streams();

// Like read and write, but they give -errno, begin again after a signal, and wait even if the descriptor is set not to.
std::ptrdiff_t read_some(int file, std::span<char> bytes);
int write_fully(int file, std::string_view bytes);  // 0, or -errno

// To standard error. Failures are passed over: they are no reason to stop, and there is nowhere else to report them.
void say(std::string_view text);

}  // namespace fovea
