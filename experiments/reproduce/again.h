// A figure's point measured again: for longer, or with another seed.
#pragma once

#include <cstdint>

#include "experiments/points/measuring_command.h"
#include "experiments/reproduce/figure/figure.h"

namespace verbena::experiments {

/// The point measured for `times` as long as its figure says. A run that finds out itself for how
/// long it measures is to be known as much better as that makes it, and may take as many times as
/// long. Throws ConfigurationError for what is too long.
MeasuringCommand prolonged(const FigurePoint& point, std::uint32_t times);

/// The point with another seed: the `repeat`th one, from 1 on.
MeasuringCommand repeated(const FigurePoint& point, std::uint32_t repeat);

}  // namespace verbena::experiments
