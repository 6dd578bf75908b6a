// Standard output, with every failure to write noticed: a result that did not arrive is not a success.
#pragma once

#include <string_view>

namespace fovea {

// Kept until there is enough to be worth a write, or until flush_out. By one thread at a time.
void write_out(std::string_view text);
void flush_out();

}  // namespace fovea
