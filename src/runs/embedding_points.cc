#include "runs/embedding_points.h"

#include <cmath>

namespace fovea {

namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

bool make_unit(Vector& v) {
  const double length = std::sqrt(dot(v, v));
  if (!(length > 1e-300) || !std::isfinite(length)) return false;
  for (double& value : v) value /= length;
  return true;
}

void take_out(const Vector& unit, Vector& v) {
  const double share = dot(unit, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] -= share * unit[i];
}

}  // namespace

std::vector<FilmPoint> principal_points(std::span<const Real> vectors, std::size_t count, std::size_t size) {
  constexpr int rounds = 100;
  std::vector<FilmPoint> points(count);
  if (count == 0 || size == 0) return points;
  std::vector<Vector> rows(count, Vector(size));
  Vector mean(size, 0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < size; ++k) {
      rows[i][k] = static_cast<double>(vectors[i * size + k]);
      mean[k] += rows[i][k] / static_cast<double>(count);
    }
  }
  for (Vector& row : rows) {
    for (std::size_t k = 0; k < size; ++k) row[k] -= mean[k];
  }
  // Power iteration with X'X; the second direction stays at right angles to the first.
  Vector directions[2];
  for (int d = 0; d < 2; ++d) {
    Vector& v = directions[d];
    for (std::size_t k = 0; k < size; ++k) v.push_back(std::cos(static_cast<double>((d + 1) * (k + 1))));
    for (int round = 0; round < rounds; ++round) {
      Vector next(size, 0);
      for (const Vector& row : rows) {
        const double share = dot(row, v);
        for (std::size_t k = 0; k < size; ++k) next[k] += share * row[k];
      }
      if (d == 1) take_out(directions[0], next);
      if (!make_unit(next)) next.assign(size, 0);
      v = std::move(next);
    }
  }
  for (std::size_t i = 0; i < count; ++i) points[i] = {dot(rows[i], directions[0]), dot(rows[i], directions[1])};
  return points;
}

void turn_towards(std::span<const FilmPoint> before, std::span<FilmPoint> points) {
  if (before.size() != points.size()) return;
  // Of a turn alone and of a turn after mirroring the second axis: how near it can come, and by which angle.
  double same = 0, across = 0, mirrored_same = 0, mirrored_across = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FilmPoint &p = points[i], &q = before[i];
    same += p.x * q.x + p.y * q.y;
    across += p.x * q.y - p.y * q.x;
    mirrored_same += p.x * q.x - p.y * q.y;
    mirrored_across += p.x * q.y + p.y * q.x;
  }
  const double length = std::hypot(same, across), mirrored = std::hypot(mirrored_same, mirrored_across);
  if (!(std::max(length, mirrored) > 0)) return;
  const bool mirror = mirrored > length;
  const double c = mirror ? mirrored_same / mirrored : same / length;
  const double s = mirror ? mirrored_across / mirrored : across / length;
  for (FilmPoint& p : points) {
    const double y = mirror ? -p.y : p.y;
    p = {c * p.x - s * y, s * p.x + c * y};
  }
}

}  // namespace fovea
