// Counter-based random numbers: a number is a pure function of its key and its place, so it depends neither on the
// thread that draws it nor on what was drawn before, and a checkpoint has no generator to store.
#pragma once

#include <cstdint>
#include <string_view>

namespace fovea {

// One well-mixed number from two: the finaliser of splitmix64 (Steele, Lea & Flood 2014) over an odd-multiple sum.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = a * 0x9E3779B97F4A7C15ull + b + 0x632BE59BD9B4E019ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Goes on from the hash of what came before.
constexpr std::uint64_t hash_text(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return mix(hash, 256);  // where a text ends
}

// What random numbers are drawn for. Streams of different purposes never meet; the values are part of every seed's
// result.
enum class Purpose : std::uint64_t {
  initial_weights = 1,
  order = 2,
  dropout = 3,
  sampling = 4,
  data = 5,
  resampling = 6
};

class Random {
 public:
  constexpr Random(std::uint64_t seed, Purpose purpose) : key_(mix(seed, static_cast<std::uint64_t>(purpose))) {}

  // A stream of its own for this step, sample, position or name.
  constexpr Random at(std::uint64_t place) const { return Random(mix(key_, place)); }

  constexpr std::uint64_t bits(std::uint64_t counter) const { return mix(key_, counter); }
  // In [0, 1).
  constexpr double uniform(std::uint64_t counter) const { return static_cast<double>(bits(counter) >> 11) * 0x1p-53; }
  // In [0, bound); the bias of the multiplication is below bound / 2^32, nothing for the sizes used here.
  constexpr std::uint64_t below(std::uint64_t bound, std::uint64_t counter) const {
    return ((bits(counter) >> 32) * bound) >> 32;
  }

 private:
  explicit constexpr Random(std::uint64_t key) : key_(key) {}
  std::uint64_t key_;
};

}  // namespace fovea
