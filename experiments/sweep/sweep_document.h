// A measured sweep for programs: a JSON document, and a table for spreadsheets.
#pragma once

#include <string>

#include "experiments/sweep/sweep.h"

namespace verbena::experiments {

/// The same document as that of a single run or bench, with a result for each measurement that has
/// one, as it is alone but for its values; and the means of repeated ones.
std::string sweep_document(const MeasuredSweep& measured);

/// A header, then a line for each measurement that has a result.
std::string sweep_csv(const MeasuredSweep& measured);

}  // namespace verbena::experiments
