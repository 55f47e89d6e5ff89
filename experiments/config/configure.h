// From what was said to the options of one command.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/keys/command.h"
#include "rdma/base/errors.h"
#include "rdma/base/parameter.h"

namespace verbena::experiments {

/// Error of one assignment. `what()` is one line that begins with where it was said.
class PlacedError : public ConfigurationError {
 public:
  using ConfigurationError::ConfigurationError;
};

/// Last of what was said, by key.
using Given = std::map<std::string, Assignment>;

/// Sets the defaults of `command`, then all that was said, in order, then what follows from it, and
/// returns the keys that were given a value. Throws ParameterError, PlacedError or ConflictError;
/// then, too, `given` has what came before.
Said configure(CommandOptions& command, const std::vector<Assignment>& all, Given& given);

/// The one place where an error becomes a line, which a PlacedError or ConflictError has.
[[noreturn]] void refuse(const ParameterError& error, const Given& given);

/// Makes the record of a command for which all was `given`; of others it has the overrides by then.
void make_record(CommandOptions& command, const Given& given);

/// Values of `point`, one measurement of a series over `lists` (texts by key), for each of these.
std::vector<std::pair<std::string, std::string>> place_of(
    const std::map<std::string, std::string>& lists, CommandOptions& point);

/// Makes of the first measurement's record in `whole` that of a series over `lists`, whose
/// measurements have these records.
void make_series_record(CommandOptions& whole,
                        const std::vector<const ConfigurationRecord*>& measurements,
                        std::map<std::string, std::string> lists);

}  // namespace verbena::experiments
