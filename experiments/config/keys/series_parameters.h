// Settings of a series.
#pragma once

#include <vector>

#include "experiments/config/keys/command_options.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// Settings that change what is measured.
std::vector<Parameter> repetition_parameters(SeriesOptions& series);

/// How it is measured, kept and shown, which changes no result.
std::vector<Parameter> showing_parameters(SeriesOptions& series);

}  // namespace verbena::experiments
