// Text brought into one form before it is cut into symbols: what a person may write in several ways, and what is meant
// to be the same, becomes the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fovea {

class Normaliser {
 public:
  // Names between commas, in the order they are done; empty: text stays as it is. Throws a usage_error.
  explicit Normaliser(std::string_view setting);

  // nfc, nfkc, lower, spaces, punctuation
  static std::vector<std::string> steps();

  bool does_nothing() const { return steps_.empty(); }
  // The text must be sound UTF-8, and what comes of it is.
  std::string operator()(std::string_view text) const;

 private:
  using Step = std::string (*)(std::string_view);
  std::vector<Step> steps_;
};

// Each character as its lower case, where that is one character.
std::string lower_case(std::string_view text);

}  // namespace fovea
