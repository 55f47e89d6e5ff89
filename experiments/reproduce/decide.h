// Rounds of measuring points again until claims are decided.
#pragma once

#include <cstdint>
#include <optional>

#include "experiments/points/measure_points.h"
#include "experiments/reproduce/measure.h"

namespace verbena::experiments {

/// Default limit on measuring a point longer, as a multiple of what its figure says.
inline constexpr std::uint32_t kUsualDecision = 4;

/// Measures points of undecided claims again, first those whose intervals influence the claims
/// most, and judges again. Each round measures four times as long as the one before. It ends when
/// all is decided or every point was measured for `within` times as long as its figure says. Points
/// without intervals, as of benches, are repeated with other seeds instead, up to `within` runs,
/// where 5 % of their value could change the outcome. An empty `within` stands for the figures' own
/// limits. A point that fails keeps its earlier result and is among the failures.
void decide(std::optional<std::uint32_t> within, const PointMeasuring& how, const PointStore& store,
            const ProcessPool& pool, Measuring& measuring);

}  // namespace verbena::experiments
