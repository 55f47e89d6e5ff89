// Where a series has points.
#pragma once

#include <string>

#include "experiments/reproduce/figure/expression.h"
#include "experiments/reproduce/figure/figure.h"

namespace verbena::experiments {

/// The places of a series, without values. Throws ConfigurationError, with the nearest name, for a
/// series that does not exist.
Curve series_places(const Figure& figure, const std::string& series);

}  // namespace verbena::experiments
