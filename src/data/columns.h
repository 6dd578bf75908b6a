// What each tab-separated column of a line has: a name for every column, in their order. The same names tell a file to
// train on from one to be answered, which may leave out what is not read.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea {

// What columns have of a line, or nothing where they have none.
struct Cells {
  std::string_view source = {};
  std::string_view target = {};
  std::string_view features = {};
  std::string_view alignment = {};
  std::vector<std::string_view> others = {};  // further sources
};

class Columns {
 public:
  // source, source2 and source3, target, features, alignment, and skip for one that is not wanted.
  static std::vector<std::string> known();
  // "source,skip,target", or by number "target=3,source=1", the others skipped. Throws a usage_error.
  static Columns parse(std::string_view text);

  // Without names: source and target. Throws a usage_error unless one is the source or the target, and none but skip
  // comes twice.
  explicit Columns(std::vector<std::string> names = {});

  const std::vector<std::string>& names() const { return names_; }
  std::string text() const;  // as parse() reads it
  bool has(std::string_view name) const { return place(name) < names_.size(); }
  std::vector<std::string> sources() const;  // source, source2, ... as many as there are; none: only targets

  // How many columns a line of an example must have, and no fewer: an alignment may be missing at its end.
  std::size_t needed() const;
  Cells example(std::string_view line) const;

  // A line to be answered is one of an example, or has just the columns that are read: the sources, and features if
  // there are any, in the order they have among the names; without a source, the target that is to be gone on with.
  // Nothing if it has too few.
  std::optional<Cells> question(std::string_view line) const;
  // Such a line, with just the columns that are read.
  std::string question_line(const Cells& cells) const;
  // "source<TAB>features": what that is, for people.
  std::string question_form() const;

 private:
  std::size_t place(std::string_view name) const;
  std::vector<std::string> read() const;

  std::vector<std::string> names_;
};

std::size_t count_columns(std::string_view line);

// What the columns of a file seem to be, by its first lines: tags such as V;PST in one of three columns tell. Without a
// reason they are source and target, as usual.
struct GuessedColumns {
  Columns columns = Columns();
  std::string reason = {};
};
GuessedColumns guess_columns(std::span<const std::string> lines);

}  // namespace fovea
