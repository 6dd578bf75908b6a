// Data sets that can be made instead of collected: `fovea make NAME --count N --seed S`.
// To add one: a file with its function, its entry, and a line in makers.def; what can be asked of it is a field of
// MakerOptions.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "base/registry.h"
#include "data/pairs.h"

namespace fovea {

// What can be asked of makers. Each names those it obeys; any other is refused.
struct MakerOptions {
  bool bad_typing = false;
  std::string words = {};
  std::string answer = {};
  std::string pictures = {};
  bool unseen = false;

  void fields(FieldVisitor& visit);
};

// Makes the line of an index, which does not depend on how many lines are made.
using MakeLine = std::function<Example(std::uint64_t index)>;

struct Maker {
  std::string_view name;
  std::string_view description;
  MakeLine (*begin)(const MakerOptions& options, std::uint64_t seed);
  std::vector<std::string_view> options = {};  // those it obeys
  std::vector<std::string_view> answers = {};  // of the option of that name, the usual one first

  // A usage_error where it is asked for what it does not know.
  MakeLine start(const MakerOptions& asked, std::uint64_t seed) const;
  // Without options.
  Example make(std::uint64_t seed, std::uint64_t index) const { return start({}, seed)(index); }
};

const Registry<Maker>& makers();

// Of a function that needs no more than that.
template <Example (*make)(std::uint64_t seed, std::uint64_t index)>
MakeLine plain_maker(const MakerOptions&, std::uint64_t seed) {
  return [seed](std::uint64_t index) { return make(seed, index); };
}

}  // namespace fovea
