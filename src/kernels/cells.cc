#include "kernels/cells.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cells.cc"
#include <hwy/foreach_target.h>
//
#include "kernels/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::kernels::HWY_NAMESPACE {

bool real(const CellSize& cell, int b) { return !cell.mask || cell.mask[b]; }

void lstm_forward(CellSize cell, LstmStep step) {
  const int n = cell.size;
  for (int b = 0; b < cell.batch; ++b) {
    Real* HWY_RESTRICT gates = step.gates + std::ptrdiff_t(b) * 4 * n;
    const Real* previous_c = step.previous_c + std::ptrdiff_t(b) * n;
    Real* c = step.c + std::ptrdiff_t(b) * n;
    Real* h = step.h + std::ptrdiff_t(b) * n;
    if (!real(cell, b)) {
      std::memcpy(h, step.previous_h + std::ptrdiff_t(b) * n, sizeof(Real) * n);
      std::memcpy(c, previous_c, sizeof(Real) * n);
      continue;
    }
    for_lanes(n, [&](auto d, int j) {
      const auto input = sigmoid(d, hn::LoadU(d, gates + j));
      const auto forget = sigmoid(d, hn::LoadU(d, gates + n + j));
      const auto candidate = tanh(d, hn::LoadU(d, gates + 2 * n + j));
      const auto output = sigmoid(d, hn::LoadU(d, gates + 3 * n + j));
      const auto cell_state = hn::MulAdd(forget, hn::LoadU(d, previous_c + j), hn::Mul(input, candidate));
      hn::StoreU(input, d, gates + j);
      hn::StoreU(forget, d, gates + n + j);
      hn::StoreU(candidate, d, gates + 2 * n + j);
      hn::StoreU(output, d, gates + 3 * n + j);
      hn::StoreU(cell_state, d, c + j);
      hn::StoreU(hn::Mul(output, tanh(d, cell_state)), d, h + j);
    });
  }
}

void lstm_backward(CellSize cell, LstmStepGradient step) {
  const int n = cell.size;
  for (int b = 0; b < cell.batch; ++b) {
    Real* HWY_RESTRICT gates = step.gates + std::ptrdiff_t(b) * 4 * n;
    const std::ptrdiff_t row = std::ptrdiff_t(b) * n;
    const Real* dh = step.dh + row;
    Real* HWY_RESTRICT dc = step.dc + row;
    if (!real(cell, b)) {  // dc passes through as it is
      std::memset(gates, 0, sizeof(Real) * 4 * n);
      for (int j = 0; j < n; ++j) step.dprevious_h[row + j] += dh[j];
      continue;
    }
    for_lanes(n, [&](auto d, int j) {
      const auto one = hn::Set(d, Real(1));
      const auto input = hn::LoadU(d, gates + j);
      const auto forget = hn::LoadU(d, gates + n + j);
      const auto candidate = hn::LoadU(d, gates + 2 * n + j);
      const auto output = hn::LoadU(d, gates + 3 * n + j);
      const auto squashed = tanh(d, hn::LoadU(d, step.c + row + j));
      const auto dh_j = hn::LoadU(d, dh + j);
      const auto dc_j = hn::MulAdd(hn::Mul(dh_j, output), hn::NegMulAdd(squashed, squashed, one), hn::LoadU(d, dc + j));
      const auto slope = [&](auto y) { return hn::NegMulAdd(y, y, y); };
      hn::StoreU(hn::Mul(hn::Mul(dc_j, candidate), slope(input)), d, gates + j);
      hn::StoreU(hn::Mul(hn::Mul(dc_j, hn::LoadU(d, step.previous_c + row + j)), slope(forget)), d, gates + n + j);
      hn::StoreU(hn::Mul(hn::Mul(dc_j, input), hn::NegMulAdd(candidate, candidate, one)), d, gates + 2 * n + j);
      hn::StoreU(hn::Mul(hn::Mul(dh_j, squashed), slope(output)), d, gates + 3 * n + j);
      hn::StoreU(hn::Mul(dc_j, forget), d, dc + j);
    });
  }
}

void gru_forward(CellSize cell, GruStep step) {
  const int n = cell.size;
  for (int b = 0; b < cell.batch; ++b) {
    Real* HWY_RESTRICT gates = step.input_gates + std::ptrdiff_t(b) * 3 * n;
    const Real* state = step.state_gates + std::ptrdiff_t(b) * 3 * n;
    const Real* previous_h = step.previous_h + std::ptrdiff_t(b) * n;
    Real* h = step.h + std::ptrdiff_t(b) * n;
    if (!real(cell, b)) {
      std::memcpy(h, previous_h, sizeof(Real) * n);
      continue;
    }
    for_lanes(n, [&](auto d, int j) {
      const auto reset = sigmoid(d, hn::Add(hn::LoadU(d, gates + j), hn::LoadU(d, state + j)));
      const auto update = sigmoid(d, hn::Add(hn::LoadU(d, gates + n + j), hn::LoadU(d, state + n + j)));
      const auto candidate =
          tanh(d, hn::MulAdd(reset, hn::LoadU(d, state + 2 * n + j), hn::LoadU(d, gates + 2 * n + j)));
      hn::StoreU(reset, d, gates + j);
      hn::StoreU(update, d, gates + n + j);
      hn::StoreU(candidate, d, gates + 2 * n + j);
      // (1 - z) n + z h
      hn::StoreU(hn::MulAdd(update, hn::Sub(hn::LoadU(d, previous_h + j), candidate), candidate), d, h + j);
    });
  }
}

void gru_backward(CellSize cell, GruStepGradient step) {
  const int n = cell.size;
  for (int b = 0; b < cell.batch; ++b) {
    Real* HWY_RESTRICT gates = step.input_gates + std::ptrdiff_t(b) * 3 * n;
    Real* HWY_RESTRICT state = step.state_gates + std::ptrdiff_t(b) * 3 * n;
    const std::ptrdiff_t row = std::ptrdiff_t(b) * n;
    const Real* dh = step.dh + row;
    Real* HWY_RESTRICT dprevious = step.dprevious_h + row;
    if (!real(cell, b)) {
      std::memset(gates, 0, sizeof(Real) * 3 * n);
      std::memset(state, 0, sizeof(Real) * 3 * n);
      for (int j = 0; j < n; ++j) dprevious[j] += dh[j];
      continue;
    }
    for_lanes(n, [&](auto d, int j) {
      const auto one = hn::Set(d, Real(1));
      const auto reset = hn::LoadU(d, gates + j);
      const auto update = hn::LoadU(d, gates + n + j);
      const auto candidate = hn::LoadU(d, gates + 2 * n + j);
      const auto dh_j = hn::LoadU(d, dh + j);
      const auto slope = [&](auto y) { return hn::NegMulAdd(y, y, y); };
      const auto dcandidate = hn::Mul(hn::Mul(dh_j, hn::Sub(one, update)), hn::NegMulAdd(candidate, candidate, one));
      const auto dupdate =
          hn::Mul(hn::Mul(dh_j, hn::Sub(hn::LoadU(d, step.previous_h + row + j), candidate)), slope(update));
      const auto dreset = hn::Mul(hn::Mul(dcandidate, hn::LoadU(d, state + 2 * n + j)), slope(reset));
      hn::StoreU(dreset, d, gates + j);
      hn::StoreU(dupdate, d, gates + n + j);
      hn::StoreU(dcandidate, d, gates + 2 * n + j);
      hn::StoreU(dreset, d, state + j);
      hn::StoreU(dupdate, d, state + n + j);
      hn::StoreU(hn::Mul(dcandidate, reset), d, state + 2 * n + j);
      hn::StoreU(hn::MulAdd(dh_j, update, hn::LoadU(d, dprevious + j)), d, dprevious + j);
    });
  }
}

}  // namespace fovea::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::kernels {

HWY_EXPORT(lstm_forward);
HWY_EXPORT(lstm_backward);
HWY_EXPORT(gru_forward);
HWY_EXPORT(gru_backward);

void lstm_forward(CellSize cell, LstmStep step) { HWY_DYNAMIC_DISPATCH(lstm_forward)(cell, step); }
void lstm_backward(CellSize cell, LstmStepGradient step) { HWY_DYNAMIC_DISPATCH(lstm_backward)(cell, step); }
void gru_forward(CellSize cell, GruStep step) { HWY_DYNAMIC_DISPATCH(gru_forward)(cell, step); }
void gru_backward(CellSize cell, GruStepGradient step) { HWY_DYNAMIC_DISPATCH(gru_backward)(cell, step); }

}  // namespace fovea::kernels
#endif
