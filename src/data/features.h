// The features of an example, as people write them: "pos=N,case=ABL", "V;PST", "masc|sg".
#pragma once

#include <string_view>
#include <vector>

namespace fovea {

// Cuts at ';', ',', '|' and spaces. Empty features are dropped. The views point into `text`.
std::vector<std::string_view> split_features(std::string_view text);

}  // namespace fovea
