// What a command may write over: only what it, or the same command before, may have written there.
#pragma once

#include <filesystem>
#include <string_view>

#include "runs/tensorboard.h"
#include "show/mistakes.h"

namespace fovea {

// How files of one kind are known from all others.
struct FileKind {
  std::string_view name;
  std::string_view beginning;
  std::string_view mark;  // further on
};

inline constexpr FileKind attention_picture = {"picture of fovea show",
                                               R"(<svg xmlns="http://www.w3.org/2000/svg" role="img" )", ""};
inline constexpr FileKind attention_page = {"page of fovea show", "<!DOCTYPE html>", " – attention</title>"};
inline constexpr FileKind attention_png = {"PNG picture", "\x89PNG", ""};
inline constexpr FileKind film_page = {"film of fovea show", "<!DOCTYPE html>", " – film</title>"};
inline constexpr FileKind report_page = {"report of a run", "<!DOCTYPE html>", " – report</title>"};
inline constexpr FileKind tensorboard_file = {"event file of TensorBoard", "", tensorboard_version};
inline constexpr FileKind comparison_page = {"page of fovea compare", "<!DOCTYPE html>", "<title>Comparison</title>"};
inline constexpr FileKind comparison_table = {"table of fovea compare", "", "\tpeak_mib\tseeds\ttrouble\n"};
inline constexpr FileKind length_chart = {"chart of fovea evaluate", attention_picture.beginning, ""};
inline constexpr FileKind error_list = {"list of fovea evaluate --errors", mistakes_beginning, ""};
inline constexpr FileKind model_file = {"model file", "", "\"__metadata__\":{"};

// Each throws a usage_error unless there is nothing yet (an empty path says that nothing is to be written), or what is
// there is empty or of that kind.
void check_file(const std::filesystem::path& path, const FileKind& kind);
void check_bench_folder(const std::filesystem::path& folder);

}  // namespace fovea
