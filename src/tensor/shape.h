// Sizes of up to four axes, the last one contiguous.
#pragma once

#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <string>

#include "base/error.h"

namespace fovea {

class Shape {
 public:
  static constexpr int max_axes = 4;

  Shape() = default;
  Shape(std::initializer_list<int> sizes) : axes_(static_cast<int>(sizes.size())) {
    check(axes_ <= max_axes, "a shape has at most {} axes, not {}", max_axes, axes_);
    int i = 0;
    for (const int size : sizes) {
      check(size >= 0, "axis {} of a shape is {}", i, size);
      sizes_[i++] = size;
    }
  }

  int axes() const { return axes_; }
  int operator[](int axis) const { return sizes_[axis]; }
  int last() const { return axes_ == 0 ? 1 : sizes_[axes_ - 1]; }
  int count() const {
    int product = 1;
    for (int i = 0; i < axes_; ++i) product *= sizes_[i];
    return product;
  }
  // All axes but the last, taken together.
  int rows() const {
    int product = 1;
    for (int i = 0; i + 1 < axes_; ++i) product *= sizes_[i];
    return product;
  }
  Shape with_last(int size) const {
    Shape changed = *this;
    changed.sizes_[axes_ - 1] = size;
    return changed;
  }
  // Without the first axis.
  Shape tail() const {
    Shape rest;
    rest.axes_ = axes_ - 1;
    for (int i = 1; i < axes_; ++i) rest.sizes_[i - 1] = sizes_[i];
    return rest;
  }
  // For messages. Every operation checks its shapes and next to none complains: text is made only where it is shown.
  struct Text;
  Text text() const;
  bool operator==(const Shape&) const = default;

 private:
  std::array<int, max_axes> sizes_{};
  int axes_ = 0;
};

struct Shape::Text {
  const Shape& shape;

  operator std::string() const {
    std::string joined = "[";
    for (int i = 0; i < shape.axes(); ++i) joined += (i ? ", " : "") + std::to_string(shape[i]);
    return joined + "]";
  }
};

inline Shape::Text Shape::text() const { return {*this}; }

}  // namespace fovea

template <>
struct fmt::formatter<fovea::Shape::Text> : fmt::formatter<std::string> {
  auto format(const fovea::Shape::Text& text, fmt::format_context& context) const {
    return fmt::formatter<std::string>::format(std::string(text), context);
  }
};
