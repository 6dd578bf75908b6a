// SVG as PNG, by the program rsvg-convert: one drawing of everything, text laid out by a library that knows all
// scripts, and nothing to be linked for those who want no PNG.
#pragma once

#include <filesystem>
#include <string>

namespace fovea {

// Throws an Error that says which package to install where there is no such program.
void write_png(const std::filesystem::path& path, const std::string& svg);

}  // namespace fovea
