// Configures one command from assignments.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/keys/command.h"
#include "rdma/base/errors.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// Error of one assignment. `what()` is one line that begins with the assignment's place.
class PlacedError : public ConfigurationError {
 public:
  using ConfigurationError::ConfigurationError;
};

/// The last assignment of each key.
using Given = std::map<std::string, Assignment>;

/// Sets the defaults of `command`, then all assignments in order, then the values that follow from
/// them. Returns the command's keys; `names` gets those that were given a value. Throws
/// ParameterError, PlacedError or ConflictError; `given` then has the assignments up to the error.
Keys configure(CommandOptions& command, const std::vector<Assignment>& all, Given& given,
               Said& names);

/// Throws a PlacedError or ConflictError for `error`. All errors of assignments get their line of
/// text here.
[[noreturn]] void refuse(const ParameterError& error, const Given& given);

/// Makes the record of a fully configured command from its keys and `given`. Of a command that is
/// not, it records the overrides only.
void make_record(CommandOptions& command, const Keys& own, const Given& given);

/// Values of the keys of `lists` (texts of lists by key) in `point`, one measurement of the series.
std::vector<std::pair<std::string, std::string>> place_of(
    const std::map<std::string, std::string>& lists, CommandOptions& point);

/// Turns the record of `whole`, which is its first measurement's, into that of a series over
/// `lists`. `measurements` are the records of all its measurements.
void make_series_record(CommandOptions& whole,
                        const std::vector<const ConfigurationRecord*>& measurements,
                        std::map<std::string, std::string> lists);

}  // namespace verbena::experiments
