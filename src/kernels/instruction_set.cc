#include "kernels/instruction_set.h"

#include <hwy/highway.h>

#include <algorithm>

#include "base/error.h"

namespace fovea::kernels {

namespace {

// What a user calls it: Highway says AVX3 for AVX-512.
std::string display_name(std::int64_t target) {
  if (target == HWY_AVX3) return "AVX-512";
#ifdef HWY_SSE2  // the baseline of Highway 1.1 and later
  if (target == HWY_SSE2) return "baseline";
#endif
  if (target == HWY_EMU128 || target == HWY_SCALAR) return "baseline";
  return hwy::TargetName(target);
}

// Asked once, before any is forced: afterwards Highway knows only the forced one.
const std::vector<std::int64_t>& targets() {
  static const std::vector<std::int64_t> found = hwy::SupportedAndGeneratedTargets();
  return found;
}

}  // namespace

std::vector<std::string> instruction_sets() {
  std::vector<std::string> names;
  for (const std::int64_t target : targets()) names.push_back(display_name(target));
  return names;
}

std::string instruction_set() {
  const std::int64_t supported = hwy::SupportedTargets() & HWY_TARGETS;
  return display_name(supported & -supported);  // the lowest bit is the best target
}

void use_instruction_set(const std::string& name) {
  const auto& all = targets();
  hwy::SetSupportedTargetsForTest(0);
  if (!name.empty()) {
    const auto chosen = std::find_if(all.begin(), all.end(), [&](auto t) { return display_name(t) == name; });
    check(chosen != all.end(), "no instruction set \"{}\" here", name);
    hwy::SetSupportedTargetsForTest(*chosen);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace fovea::kernels
