#include <algorithm>

#include "base/as_size.h"
#include "tensor/ops.h"

namespace fovea {

namespace {

struct PictureSizes {
  int columns, rows, batch, channels;

  explicit PictureSizes(Tensor x)
      : columns(x.shape()[0]), rows(x.shape()[1]), batch(x.shape()[2]), channels(x.shape()[3]) {}
  std::ptrdiff_t pixel(int column, int row) const { return (std::ptrdiff_t(column) * rows + row) * batch; }
};

}  // namespace

Tensor picture_windows(Tensor x, int size, Ids real_columns) {
  check(x.shape().axes() == 4 && size % 2 == 1 && std::ssize(real_columns) == x.shape()[2],
        "picture_windows: {} in windows of {}, {} rows", x.shape().text(), size, real_columns.size());
  const PictureSizes s(x);
  const auto real = x.tape().arena().array<std::int32_t>(real_columns.size());
  std::ranges::copy(real_columns, real.begin());
  const int reach = size / 2, width = size * size * s.channels;
  Tensor y = x.tape().make(x.shape().with_last(width), x.wants_gradient());
  // body(where a pixel stands in x, or -1 outside the picture; where its place in a window begins)
  const auto for_each = [=](const auto& body) {
    for (int column = 0; column < s.columns; ++column) {
      for (int row = 0; row < s.rows; ++row) {
        const std::ptrdiff_t out = s.pixel(column, row) * width;
        for (int place = 0; place < size * size; ++place) {
          const int c = column + place / size - reach, r = row + place % size - reach;
          const bool inside = c >= 0 && r >= 0 && r < s.rows && c < s.columns;
          for (int b = 0; b < s.batch; ++b) {
            const bool seen = inside && c < real[b];
            body(seen ? (s.pixel(c, r) + b) * s.channels : -1, out + std::ptrdiff_t(b) * width + place * s.channels);
          }
        }
      }
    }
  };
  for_each([&](std::ptrdiff_t from, std::ptrdiff_t to) {
    if (from < 0) {
      std::fill_n(y.data() + to, s.channels, Real(0));
    } else {
      std::copy_n(x.data() + from, s.channels, y.data() + to);
    }
  });
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      const Real* dy = y.gradient();
      Real* dx = x.gradient();
      for_each([&](std::ptrdiff_t to, std::ptrdiff_t from) {
        if (to < 0) return;
        for (int i = 0; i < s.channels; ++i) dx[to + i] += dy[from + i];
      });
    });
  }
  return y;
}

Tensor max_pool(Tensor x, int across, int down) {
  check(x.shape().axes() == 4 && x.shape()[0] % across == 0 && x.shape()[1] % down == 0,
        "max_pool: {} in blocks of {} x {}", x.shape().text(), across, down);
  const PictureSizes s(x);
  const int columns = s.columns / across, rows = s.rows / down, size = s.batch * s.channels;
  Tensor y = x.tape().make({columns, rows, s.batch, s.channels}, x.wants_gradient());
  const auto largest =
      x.tape().arena().array<std::int32_t>(x.wants_gradient() ? y.values().size() : 0);  // of each block
  for (int block = 0; block < columns * rows; ++block) {
    Real* out = y.data() + std::ptrdiff_t(block) * size;
    for (int place = 0; place < across * down; ++place) {
      const std::ptrdiff_t from =
          s.pixel(block / rows * across + place / down, block % rows * down + place % down) * s.channels;
      const Real* in = x.data() + from;
      for (int i = 0; i < size; ++i) {
        if (place > 0 && in[i] <= out[i]) continue;
        out[i] = in[i];
        if (!largest.empty()) {
          largest[as_size(block) * size + i] = static_cast<std::int32_t>(from) + i;
        }
      }
    }
  }
  if (y.wants_gradient()) {
    y.tape().record([=] {
      if (!y.has_gradient()) return;
      const Real* dy = y.gradient();
      Real* dx = x.gradient();
      for (std::size_t i = 0; i < largest.size(); ++i) dx[largest[i]] += dy[i];
    });
  }
  return y;
}

}  // namespace fovea
