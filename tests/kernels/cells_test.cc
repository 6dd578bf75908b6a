#include "kernels/cells.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/kernel_test.h"

namespace fovea::kernels::cells_test {
namespace {

class CellKernels : public KernelTest {};
INSTANTIATE_TEST_SUITE_P(Kernels, CellKernels, testing::ValuesIn(tested_instruction_sets()), instruction_set_name);

constexpr int batch = 3;
const std::uint8_t middle_masked[batch] = {1, 0, 1};

double square(double x) { return x * x; }

// Each cell once without a mask, once with the middle row masked.
template <class Check>
void for_cells(const Check& check) {
  for (const int size : odd_sizes()) {
    check(CellSize{batch, size, nullptr});
    check(CellSize{batch, size, middle_masked});
  }
  check(CellSize{0, 5, nullptr});
}

bool is_real(const CellSize& cell, int b) { return !cell.mask || cell.mask[b]; }

TEST_P(CellKernels, LstmIsThatOfDouble) {
  for_cells([](CellSize cell) {
    const int n = cell.size, states = cell.batch * n;
    const Buffer before(4 * states, "gates", 4), old_h(states, "h"), old_c(states, "c"), dh(states, "dh");
    const Buffer dc_start(states, "dc"), dh_start(states, "dprevious_h");
    Buffer gates = before, h(states, Real(9)), c(states, Real(9));
    lstm_forward(cell, {gates.data(), old_h.data(), old_c.data(), h.data(), c.data()});
    Buffer dc = dc_start, dold_h = dh_start;
    lstm_backward(cell, {gates.data(), old_c.data(), c.data(), dh.data(), dc.data(), dold_h.data()});

    std::vector<double> new_h, new_c, dold_c, dgates(before.size()), dprevious_h;
    for (int b = 0; b < cell.batch; ++b) {
      for (int j = 0; j < n; ++j) {
        const int at = b * n + j, gate = b * 4 * n + j;
        dprevious_h.push_back(double(dh_start[at]) + (is_real(cell, b) ? 0.0 : double(dh[at])));
        if (!is_real(cell, b)) {
          new_h.push_back(old_h[at]);
          new_c.push_back(old_c[at]);
          dold_c.push_back(dc_start[at]);
          continue;
        }
        const double i = sigmoid_of(before[gate]), f = sigmoid_of(before[gate + n]);
        const double g = std::tanh(double(before[gate + 2 * n])), o = sigmoid_of(before[gate + 3 * n]);
        const double state = f * old_c[at] + i * g, t = std::tanh(state);
        new_c.push_back(state);
        new_h.push_back(o * t);
        const double dstate = dc_start[at] + dh[at] * o * (1 - t * t);
        dold_c.push_back(dstate * f);
        dgates[gate] = dstate * g * i * (1 - i);
        dgates[gate + n] = dstate * old_c[at] * f * (1 - f);
        dgates[gate + 2 * n] = dstate * i * (1 - g * g);
        dgates[gate + 3 * n] = dh[at] * t * o * (1 - o);
      }
    }
    const std::string size = "size " + std::to_string(n) + " ";
    expect_near(h, new_h, 8 * epsilon, size + "h");
    expect_near(c, new_c, 8 * epsilon, size + "c");
    expect_near(gates, dgates, 16 * epsilon, size + "gradient of gates");
    expect_near(dc, dold_c, 16 * epsilon, size + "gradient of c");
    expect_near(dold_h, dprevious_h, 8 * epsilon, size + "gradient of h");
  });
}

TEST_P(CellKernels, GruIsThatOfDouble) {
  for_cells([](CellSize cell) {
    const int n = cell.size, states = cell.batch * n;
    const Buffer x(3 * states, "x", 4), s(3 * states, "s", 4), old_h(states, "h"), dh(states, "dh");
    const Buffer dh_start(states, "dprevious_h");
    Buffer gates = x, h(states, Real(9));
    gru_forward(cell, {gates.data(), s.data(), old_h.data(), h.data()});
    Buffer dstate = s, dold_h = dh_start;
    gru_backward(cell, {gates.data(), dstate.data(), old_h.data(), dh.data(), dold_h.data()});

    std::vector<double> new_h, dprevious_h, dx(x.size()), ds(s.size());
    for (int b = 0; b < cell.batch; ++b) {
      for (int j = 0; j < n; ++j) {
        const int at = b * n + j, gate = b * 3 * n + j;
        if (!is_real(cell, b)) {
          new_h.push_back(old_h[at]);
          dprevious_h.push_back(double(dh_start[at]) + dh[at]);
          continue;
        }
        const double r = sigmoid_of(double(x[gate]) + s[gate]), z = sigmoid_of(double(x[gate + n]) + s[gate + n]);
        const double c = std::tanh(x[gate + 2 * n] + r * s[gate + 2 * n]);
        new_h.push_back((1 - z) * c + z * old_h[at]);
        dprevious_h.push_back(dh_start[at] + dh[at] * z);
        const double dc = dh[at] * (1 - z) * (1 - square(c));
        dx[gate] = ds[gate] = dc * s[gate + 2 * n] * r * (1 - r);
        dx[gate + n] = ds[gate + n] = dh[at] * (old_h[at] - c) * z * (1 - z);
        dx[gate + 2 * n] = dc;
        ds[gate + 2 * n] = dc * r;
      }
    }
    const std::string size = "size " + std::to_string(n) + " ";
    expect_near(h, new_h, 8 * epsilon, size + "h");
    expect_near(gates, dx, 16 * epsilon, size + "gradient of input gates");
    expect_near(dstate, ds, 16 * epsilon, size + "gradient of state gates");
    expect_near(dold_h, dprevious_h, 8 * epsilon, size + "gradient of h");
  });
}

// A masked row may hold anything, and gates may be driven to their limits.
TEST_P(CellKernels, ExtremesStayFinite) {
  constexpr int n = 5;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const CellSize cell = {batch, n, middle_masked};
  const auto extreme_gates = [&](int kinds) {
    Buffer gates(batch * kinds * n, Real(0));
    for (int i = 0; i < batch * kinds * n; ++i) {
      gates[i] = i / (kinds * n) == 1 ? nan : i % 2 ? Real(1e30) : Real(-1e30);
    }
    return gates;
  };
  const Buffer zeros(batch * n, Real(0)), ones(batch * n, Real(1));
  Buffer h = zeros, c = zeros, dc = ones, dh = zeros;

  Buffer gates = extreme_gates(4);
  lstm_forward(cell, {gates.data(), ones.data(), ones.data(), h.data(), c.data()});
  EXPECT_TRUE(h.all_finite() && c.all_finite());
  lstm_backward(cell, {gates.data(), ones.data(), c.data(), ones.data(), dc.data(), dh.data()});
  EXPECT_TRUE(gates.all_finite() && dc.all_finite() && dh.all_finite());

  Buffer gru_gates = extreme_gates(3), state = gru_gates;
  gru_forward(cell, {gru_gates.data(), state.data(), ones.data(), h.data()});
  EXPECT_TRUE(h.all_finite());
  gru_backward(cell, {gru_gates.data(), state.data(), ones.data(), ones.data(), dh.data()});
  EXPECT_TRUE(gru_gates.all_finite() && dh.all_finite());
  for (int j = n; j < 2 * n; ++j) EXPECT_EQ(h[j], 1) << "a masked row keeps its state";
}

}  // namespace
}  // namespace fovea::kernels::cells_test
