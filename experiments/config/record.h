// What reports tell of a configuration, and what repeats it.
#pragma once

#include <map>
#include <string>

#include "experiments/config/command_options.h"

namespace verbena::experiments {

/// Makes the record of a command of which `said` was said: texts by key.
void record(RunCommand& command, const std::map<std::string, std::string>& said);
void record(BenchCommand& command, const std::map<std::string, std::string>& said);
void record(ExplainCommand& command, const std::map<std::string, std::string>& said);
void record(ReproduceCommand& command, const std::map<std::string, std::string>& said);
inline void record(DoctorCommand&, const std::map<std::string, std::string>&) {}

/// Makes of the first measurement's record in `whole` that of a series over `lists`, texts by key.
void record_series(BenchCommand& whole, std::map<std::string, std::string> lists);

}  // namespace verbena::experiments
