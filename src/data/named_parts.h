// A cell that names several files, or a part of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "data/named_file.h"

namespace fovea {

// A cell may name several files, with " + " between them: what is in them is read as one. Each of them.
std::vector<SourceCell> named_one_by_one(const SourceCell& cell);

// Whether all of these end so, in upper or lower case.
bool names_files_like(std::string_view cell, std::initializer_list<std::string_view> endings);

// As read_named_file, but up to `count` bytes from `from` on.
std::string read_named_part(const SourceCell& cell, std::string_view folder, std::uint64_t from, std::size_t count);

// What `take` gives; what it complains of is said of the file.
template <class Take>
auto naming_file(const SourceCell& cell, std::string_view folder, const Take& take) {
  try {
    return take();
  } catch (const Error& e) {
    throw data_error("{}: {}", named_place(cell, folder), e.what());
  }
}

}  // namespace fovea
