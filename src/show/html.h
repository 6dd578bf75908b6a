// An answer as a stand-alone page: what went in, what came out, every map, and the same as tables.
#pragma once

#include <span>
#include <string>

#include "tasks/output.h"

namespace fovea {

std::string draw_html(std::span<const Output> outputs);
inline std::string draw_html(const Output& output) { return draw_html({&output, 1}); }

// Parts for other pages; markup, already escaped.
std::string html_answer(const Output& output);  // source, answer, score
std::string html_maps(const Output& output);    // pictures with their warnings and tables

}  // namespace fovea
