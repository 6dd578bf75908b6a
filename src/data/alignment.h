// Which target word belongs to which source word: gold alignments in the Pharaoh format, "0-0 1-2 2p1".
#pragma once

#include <string_view>
#include <vector>

namespace fovea {

struct Link {
  int source = 0;  // token, from 0
  int target = 0;
  bool sure = true;  // otherwise only possible (Och & Ney 2003)

  bool operator==(const Link&) const = default;
};

// Links separated by spaces, `i-j` sure, `ipj` possible only, by source and then by target. One that is given twice
// appears once, sure if either is. The caller puts file and line before the message of a data_error.
std::vector<Link> parse_links(std::string_view text, int source_tokens, int target_tokens);

}  // namespace fovea
