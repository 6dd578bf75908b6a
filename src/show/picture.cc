#include "show/picture.h"

#include <vector>

#include "show/media_svg.h"
#include "show/svg.h"

namespace fovea {

bool has_picture(const Output& output) {
  return !output.maps.empty() || !output.self_maps.empty() || !saliency_map(output).rows.empty();
}

std::string draw_picture(std::span<const Output> outputs) {
  std::vector<std::string> parts;
  for (const Output& output : outputs) {
    if (!output.maps.empty()) {
      for (std::string& seen : draw_media_svgs(output, heat_map_of(output, 0), true)) parts.push_back(std::move(seen));
    }
    if (!output.maps.empty() || !has_picture(output)) parts.push_back(draw_svg(output));
    if (const HeatMap saliency = saliency_map(output); !saliency.rows.empty()) {
      parts.push_back(draw_svg(output, saliency, true));
    }
    for (std::size_t map = 0; map < output.self_maps.size(); ++map) {
      parts.push_back(draw_svg(output, own_map(output, map), true));
    }
  }
  return stack_svgs(parts);
}

}  // namespace fovea
