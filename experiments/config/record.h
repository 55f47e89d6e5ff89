// Records of configurations, for reports and to repeat them.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/config/keys/command_options.h"

namespace verbena::experiments {

/// Makes the record of a command of which `said` was said: texts by key.
void record(RunCommand& command, const std::map<std::string, std::string>& said);
void record(BenchCommand& command, const std::map<std::string, std::string>& said);
void record(ExplainCommand& command, const std::map<std::string, std::string>& said);
void record(ReproduceCommand& command, const std::map<std::string, std::string>& said);
void record(HuntCommand& command, const std::map<std::string, std::string>& said);
inline void record(CompareCommand&, const std::map<std::string, std::string>&) {}
inline void record(DoctorCommand&, const std::map<std::string, std::string>&) {}

/// Values of `point`, one measurement of a series over `lists` (texts by key), for each of these.
std::vector<std::pair<std::string, std::string>> place_of(
    const std::map<std::string, std::string>& lists, RunCommand point);
std::vector<std::pair<std::string, std::string>> place_of(
    const std::map<std::string, std::string>& lists, BenchCommand point);

/// Makes of the first measurement's record in `whole` that of a series over `lists`.
void record_series(RunCommand& whole, std::map<std::string, std::string> lists);
void record_series(BenchCommand& whole, std::map<std::string, std::string> lists);

}  // namespace verbena::experiments
