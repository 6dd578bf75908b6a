#include "kernels/rows.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows.cc"
#include <hwy/foreach_target.h>
//
#include "kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

Real largest_of(const Real* row, int columns) {
  const Full d;
  const int width = static_cast<int>(hn::Lanes(d));
  if (columns < width) return *std::max_element(row, row + columns);
  hn::Vec<Full> largest = hn::LoadU(d, row + columns - width);
  for (int j = 0; j + width <= columns; j += width) largest = hn::Max(largest, hn::LoadU(d, row + j));
  return hn::GetLane(hn::MaxOfLanes(d, largest));
}

// log of the sum of exp(row - largest). Never added to `largest`: beside large logits it would be rounded away.
Real log_sum(const Real* row, int columns, Real largest) {
  return std::log(sum_lanes(columns, [&](auto d, int j) {
    const auto shifted = hn::Sub(hn::LoadU(d, row + j), hn::Set(d, largest));
    return hn::Exp(d, hn::Max(shifted, hn::Set(d, Real(-200))));
  }));
}

double cross_entropy(LogitRows logits, const std::int32_t* targets, Smoothing smoothing, Real* log_sums) {
  double total = 0;
  for (int r = 0; r < logits.rows; ++r) {
    const Real* row = logits.data + std::ptrdiff_t(r) * logits.columns;
    if (targets[r] == smoothing.ignored) {
      log_sums[r] = 0;
      continue;
    }
    const Real largest = largest_of(row, logits.columns);
    log_sums[r] = log_sum(row, logits.columns, largest);
    double loss = (1 - smoothing.share) * (double(log_sums[r]) - (double(row[targets[r]]) - double(largest)));
    if (smoothing.share > 0) {
      const double sum =
          sum_lanes(logits.columns, [&](auto d, int j) { return hn::Sub(hn::LoadU(d, row + j), hn::Set(d, largest)); });
      loss += smoothing.share * (double(log_sums[r]) - sum / logits.columns);
    }
    total += loss;
  }
  return total;
}

void cross_entropy_backward(LogitRows logits, const std::int32_t* targets, Smoothing smoothing, const Real* log_sums,
                            Real factor, Real* dlogits) {
  const Real spread = smoothing.share / Real(logits.columns);
  const bool in_place = dlogits == logits.data;
  for (int r = 0; r < logits.rows; ++r) {
    const Real* row = logits.data + std::ptrdiff_t(r) * logits.columns;
    Real* out = dlogits + std::ptrdiff_t(r) * logits.columns;
    if (targets[r] == smoothing.ignored) {
      if (in_place) std::fill_n(out, logits.columns, Real(0));
      continue;
    }
    const Real largest = largest_of(row, logits.columns);
    for_lanes(logits.columns, [&](auto d, int j) {
      const auto shifted = hn::Sub(hn::Sub(hn::LoadU(d, row + j), hn::Set(d, largest)), hn::Set(d, log_sums[r]));
      const auto p = hn::Exp(d, hn::Max(shifted, hn::Set(d, Real(-200))));
      const auto difference = hn::Sub(p, hn::Set(d, spread));
      const auto before = in_place ? hn::Zero(d) : hn::LoadU(d, out + j);
      hn::StoreU(hn::MulAdd(hn::Set(d, factor), difference, before), d, out + j);
    });
    out[targets[r]] -= factor * (1 - smoothing.share);
  }
}

void log_softmax(LogitRows logits, Real* log_probabilities) {
  for (int r = 0; r < logits.rows; ++r) {
    const Real* row = logits.data + std::ptrdiff_t(r) * logits.columns;
    Real* out = log_probabilities + std::ptrdiff_t(r) * logits.columns;
    const Real largest = largest_of(row, logits.columns);
    const Real sum = log_sum(row, logits.columns, largest);
    for_lanes(logits.columns, [&](auto d, int j) {
      hn::StoreU(hn::Sub(hn::Sub(hn::LoadU(d, row + j), hn::Set(d, largest)), hn::Set(d, sum)), d, out + j);
    });
  }
}

void log_sums(LogitRows logits, Real* sums) {
  for (int r = 0; r < logits.rows; ++r) {
    const Real* row = logits.data + std::ptrdiff_t(r) * logits.columns;
    const Real largest = largest_of(row, logits.columns);
    sums[r] = largest + log_sum(row, logits.columns, largest);
  }
}

void log_sums_backward(LogitRows logits, const Real* sums, const Real* dsums, Real* dlogits) {
  for (int r = 0; r < logits.rows; ++r) {
    const Real* row = logits.data + std::ptrdiff_t(r) * logits.columns;
    Real* out = dlogits + std::ptrdiff_t(r) * logits.columns;
    for_lanes(logits.columns, [&](auto d, int j) {
      const auto shifted = hn::Sub(hn::LoadU(d, row + j), hn::Set(d, sums[r]));
      const auto p = hn::Exp(d, hn::Max(shifted, hn::Set(d, Real(-200))));
      hn::StoreU(hn::MulAdd(hn::Set(d, dsums[r]), p, hn::LoadU(d, out + j)), d, out + j);
    });
  }
}

void layer_norm(LayerNorm norm, const Real* bias, Real* y) {
  const int n = norm.columns;
  for (int r = 0; r < norm.rows; ++r) {
    const Real* x = norm.x + std::ptrdiff_t(r) * n;
    Real* out = y + std::ptrdiff_t(r) * n;
    const Real mean = sum_lanes(n, [&](auto d, int j) { return hn::LoadU(d, x + j); }) / Real(n);
    const Real variance = sum_lanes(n,
                                    [&](auto d, int j) {
                                      const auto centred = hn::Sub(hn::LoadU(d, x + j), hn::Set(d, mean));
                                      return hn::Mul(centred, centred);
                                    }) /
                          Real(n);
    const Real scale = Real(1) / std::sqrt(variance + Real(1e-5));
    for_lanes(n, [&](auto d, int j) {
      const auto normal = hn::Mul(hn::Sub(hn::LoadU(d, x + j), hn::Set(d, mean)), hn::Set(d, scale));
      hn::StoreU(hn::MulAdd(hn::LoadU(d, norm.gain + j), normal, hn::LoadU(d, bias + j)), d, out + j);
    });
    norm.means[r] = mean;
    norm.scales[r] = scale;
  }
}

// With z = (x - mean) scale and g = dy gain: dx = scale (g - mean of g - z times the mean of g z), dgain = dy z.
void layer_norm_backward(LayerNorm norm, const Real* dy, Real* dx, Real* dgain) {
  const int n = norm.columns;
  for (int r = 0; r < norm.rows; ++r) {
    const Real* x = norm.x + std::ptrdiff_t(r) * n;
    const Real* dout = dy + std::ptrdiff_t(r) * n;
    const Real scale = norm.scales[r];
    const auto z = [&](auto d, int j) {
      return hn::Mul(hn::Sub(hn::LoadU(d, x + j), hn::Set(d, norm.means[r])), hn::Set(d, scale));
    };
    const auto g = [&](auto d, int j) { return hn::Mul(hn::LoadU(d, dout + j), hn::LoadU(d, norm.gain + j)); };
    if (dgain) {
      for_lanes(n, [&](auto d, int j) {
        hn::StoreU(hn::MulAdd(hn::LoadU(d, dout + j), z(d, j), hn::LoadU(d, dgain + j)), d, dgain + j);
      });
    }
    if (!dx) continue;
    Real* din = dx + std::ptrdiff_t(r) * n;
    const Real mean_g = sum_lanes(n, g) / Real(n);
    const Real mean_gz = sum_lanes(n, [&](auto d, int j) { return hn::Mul(g(d, j), z(d, j)); }) / Real(n);
    for_lanes(n, [&](auto d, int j) {
      const auto centred = hn::Sub(g(d, j), hn::Set(d, mean_g));
      const auto turned = hn::NegMulAdd(z(d, j), hn::Set(d, mean_gz), centred);
      hn::StoreU(hn::MulAdd(hn::Set(d, scale), turned, hn::LoadU(d, din + j)), d, din + j);
    });
  }
}

void add_rows(const Real* data, int rows, int columns, Real* sums) {
  for (int r = 0; r < rows; ++r) {
    const Real* row = data + std::ptrdiff_t(r) * columns;
    for_lanes(columns,
              [&](auto d, int j) { hn::StoreU(hn::Add(hn::LoadU(d, sums + j), hn::LoadU(d, row + j)), d, sums + j); });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(cross_entropy);
HWY_EXPORT(cross_entropy_backward);
HWY_EXPORT(log_softmax);
HWY_EXPORT(log_sums);
HWY_EXPORT(log_sums_backward);
HWY_EXPORT(layer_norm);
HWY_EXPORT(layer_norm_backward);
HWY_EXPORT(add_rows);

double cross_entropy(LogitRows logits, const std::int32_t* targets, Smoothing smoothing, Real* log_sums) {
  return HWY_DYNAMIC_DISPATCH(cross_entropy)(logits, targets, smoothing, log_sums);
}
void cross_entropy_backward(LogitRows logits, const std::int32_t* targets, Smoothing smoothing, const Real* log_sums,
                            Real factor, Real* dlogits) {
  HWY_DYNAMIC_DISPATCH(cross_entropy_backward)(logits, targets, smoothing, log_sums, factor, dlogits);
}
void log_softmax(LogitRows logits, Real* log_probabilities) {
  HWY_DYNAMIC_DISPATCH(log_softmax)(logits, log_probabilities);
}
void log_sums(LogitRows logits, Real* sums) { HWY_DYNAMIC_DISPATCH(log_sums)(logits, sums); }
void log_sums_backward(LogitRows logits, const Real* sums, const Real* dsums, Real* dlogits) {
  HWY_DYNAMIC_DISPATCH(log_sums_backward)(logits, sums, dsums, dlogits);
}
void layer_norm(LayerNorm norm, const Real* bias, Real* y) { HWY_DYNAMIC_DISPATCH(layer_norm)(norm, bias, y); }
void layer_norm_backward(LayerNorm norm, const Real* dy, Real* dx, Real* dgain) {
  HWY_DYNAMIC_DISPATCH(layer_norm_backward)(norm, dy, dx, dgain);
}
void add_rows(const Real* data, int rows, int columns, Real* sums) {
  HWY_DYNAMIC_DISPATCH(add_rows)(data, rows, columns, sums);
}

}  // namespace fovea::kernels
#endif
