// Vectors of symbols as points of a plane: their two principal directions (Pearson 1901), turned so that they lie as
// near as possible to where they lay before (orthogonal Procrustes, Schönemann 1966). Deterministic.
#pragma once

#include <span>
#include <vector>

#include "base/real.h"
#include "show/film.h"

namespace fovea {

// vectors [count, size]
std::vector<FilmPoint> principal_points(std::span<const Real> vectors, std::size_t count, std::size_t size);

// Turned and, if that brings them nearer, mirrored; of equally many.
void turn_towards(std::span<const FilmPoint> before, std::span<FilmPoint> points);

}  // namespace fovea
