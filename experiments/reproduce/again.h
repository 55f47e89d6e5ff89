// Commands that measure a figure's point again: for longer, or with another seed.
#pragma once

#include <cstdint>

#include "experiments/points/measuring_command.h"
#include "experiments/reproduce/figure/figure.h"

namespace verbena::experiments {

/// Makes the point's command measure `times` as long as its figure says. For a run that decides its
/// own length, divides the precision goal by the square root of `times` and multiplies the limits
/// by `times`, except that of memory. Throws ConfigurationError when that is too long.
MeasuringCommand prolonged(const FigurePoint& point, std::uint32_t times);

/// Makes the point's command with another seed, the `repeat`th one, counted from 1.
MeasuringCommand repeated(const FigurePoint& point, std::uint32_t repeat);

}  // namespace verbena::experiments
