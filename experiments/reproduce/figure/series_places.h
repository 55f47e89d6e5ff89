// The places at which a series has points.
#pragma once

#include <string>

#include "experiments/reproduce/figure/expression.h"
#include "experiments/reproduce/figure/figure.h"

namespace verbena::experiments {

/// Returns the places of a series, without values. Throws ConfigurationError, with the nearest
/// name, for an unknown series.
Curve series_places(const Figure& figure, const std::string& series);

}  // namespace verbena::experiments
