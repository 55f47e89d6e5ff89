// A measured sweep for programs: a JSON document, and a table for spreadsheets.
#pragma once

#include <string>

#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// Makes the document of a single run or bench with a result for each finished measurement, to
/// which its `values` are added; and the means of repeated ones.
std::string sweep_document(const MeasuredSweep& measured);

/// Formats a header, then a line for each finished measurement.
std::string sweep_csv(const MeasuredSweep& measured);

}  // namespace verbena::experiments
