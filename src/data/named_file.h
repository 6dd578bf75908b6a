// Files that cells of the data name. All of them are opened here and nowhere else, so that whoever answers strangers
// can forbid it, or keep them to one folder, in one place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace fovea {

// Which files may be opened because a cell names them.
enum class OpenFiles {
  any,
  below_folder,  // what lies below the folder when all links are followed, and nothing but files
  none
};

// Where files that cells name are looked for, and whether they may be opened at all.
struct NamedFiles {
  std::string_view folder = {};  // of the file the cells stand in; empty: where the program runs
  OpenFiles open = OpenFiles::any;
};

// A cell of a column, as it was written.
struct SourceCell {
  SourceCell(std::string_view written, NamedFiles named = {}) : text(written), files(named) {}
  SourceCell(const std::string& written, NamedFiles named = {}) : text(written), files(named) {}
  SourceCell(const char* written) : text(written) {}

  std::string_view text;
  NamedFiles files;
};

// Where the file is that a cell names: in `folder` or, if that is empty, beside the file the cell stands in; a name
// that begins with a slash stands for itself. Where only a folder is open, that folder comes before any other, and what
// is said of a file is its name alone: whoever asks need not learn where it lies.
std::string named_place(const SourceCell& cell, std::string_view folder);

// Its bytes. Throws a data_error: it is forbidden, not to be read, or larger than `max_bytes`.
std::string read_named_file(const SourceCell& cell, std::string_view folder, std::uint64_t max_bytes);

}  // namespace fovea
