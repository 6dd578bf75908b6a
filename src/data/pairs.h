// Examples from the columns of a file or from parallel files. Nothing is dropped without being counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/as_size.h"

namespace fovea {

inline std::string_view folder_of(std::string_view file) { return file.substr(0, file.rfind('/') + 1); }

struct Example {
  std::string source;  // the first
  std::string target;
  std::string features;  // empty if there are none, like
  std::int64_t line = 0;
  std::string alignment = {};            // links such as 0-0 1-2
  std::vector<std::string> others = {};  // further sources
  std::string file = {};                 // the line stands in; empty: in none

  std::string_view folder() const { return folder_of(file); }
};

// Where a line stands: data.tsv:7, or line 7 of no file.
std::string place_of(std::string_view file, std::int64_t line);
inline std::string place_of(const Example& example) { return place_of(example.file, example.line); }

enum class BadLines { fail, skip };

BadLines parse_bad_lines(std::string_view name);  // "fail" or "skip"

struct PairOptions {
  std::string file;                  // of columns, "-" for standard input; or, with this one empty,
  std::string source_file;           // one source a line, and
  std::string target_file;           // the target of each on the same line
  std::string alignment_file;        // and, if wanted, the links of each on the same line of this one
  std::vector<std::string> columns;  // of `file`, see data/columns.h; none: they are guessed
  BadLines bad_lines = BadLines::fail;
  std::int64_t max_length = 1000;  // characters of a source or a target
};

// Why a line was left out. Blank lines are no mistake: they are left out under both policies. What a source cannot make
// anything of, such as the name of a file that is none, is unreadable.
enum class SkipReason { blank, bad_utf8, wrong_columns, empty_side, too_long, unreadable };
inline constexpr std::size_t skip_reasons = 6;

struct Skipped {
  std::int64_t lines = 0;
  std::string first;  // what the error of the first such line would say
};

struct ReadReport {
  std::int64_t lines = 0;
  std::int64_t kept = 0;
  std::array<Skipped, skip_reasons> skipped;  // by SkipReason
  std::int64_t with_control = 0;              // kept, though a side has a control character, which no vocabulary knows
  std::string first_with_control;             // data.tsv:7
  std::int64_t named = 0;                     // columns
  std::int64_t with_more = 0;                 // kept, though they have columns without a name, which are not read
  std::string first_with_more;
  std::int64_t longest = 0;  // characters of the longest side that is too long

  const Skipped& by(SkipReason reason) const { return skipped[as_size(reason)]; }
};

// "left out: 2 blank, 1 bad UTF-8 (first: data.tsv:7:3: ...)"; empty if there is nothing to say.
std::string describe(const ReadReport& report);

// What is wrong with lines that have more columns than names.
std::string columns_without_name(const ReadReport& report);

// What to say of a line without a tab whose columns seem to be apart by something else; empty: it does not look like
// that.
std::string_view other_separator(std::string_view line);

struct Pairs {
  std::vector<Example> examples;
  std::vector<std::string> columns;  // as they were read
  std::string reason;                // why these, if they were guessed by what is in them
  ReadReport report;
};

// The same, and before it which columns were guessed, and why.
std::string describe(const Pairs& pairs);

// A data_error if nothing is kept, since no use can be made of that.
Pairs read_pairs(const PairOptions& options);

// Examples in memory, held to the same: of the options the columns (none: what the examples have), the policy and the
// greatest length count. Their lines are numbered from 1, and called by `name` where something is wrong.
Pairs check_pairs(std::vector<Example> examples, const std::string& name, const PairOptions& options);

// Leaves out lines for which `find_problem` has something to say, as unreadable ones. A data_error if nothing is kept.
void leave_out(Pairs& pairs, const std::function<std::string(const Example&)>& find_problem);

}  // namespace fovea
