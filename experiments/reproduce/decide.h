// Rounds of measuring again what undecided claims hang on.
#pragma once

#include <cstdint>
#include <optional>

#include "experiments/points/measure_points.h"
#include "experiments/reproduce/measure.h"

namespace verbena::experiments {

/// How many times as long as its figure says a point may be measured, where neither the command nor
/// the figure says it.
inline constexpr std::uint32_t kUsualDecision = 4;

/// Measures points of undecided claims again, those first whose intervals move them most, and
/// judges again, until all is decided or every point has been measured for `within` times as long
/// as its figure says: each round four times as long as the one before. What nothing tells the
/// interval of, as of benches, is repeated with other seeds instead, up to `within` runs, where 5 %
/// of its value could change the outcome. `within`: of the command; where it is empty that of the
/// figures counts. What fails keeps what was measured before, and is among the failures.
void decide(std::optional<std::uint32_t> within, const PointMeasuring& how, PointStore& store,
            const ProcessPool& pool, Measuring& measuring);

}  // namespace verbena::experiments
