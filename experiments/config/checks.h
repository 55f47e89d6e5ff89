// What has to hold between several values of a command.
#pragma once

#include <string>
#include <vector>

#include "experiments/config/keys/defaults.h"
#include "rdma/base/errors.h"

namespace verbena::experiments {

/// Values that do not go together. `what()` is one line that names them.
class ConflictError : public ConfigurationError {
 public:
  ConflictError(std::vector<std::string> keys, const std::string& text)
      : ConfigurationError(text), keys_(std::move(keys)) {}

  const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::vector<std::string> keys_;
};

/// Each throws ParameterError or ConflictError for the first thing that does not hold.
void check(const RunCommand& command, const Said& said);
void check(const BenchCommand& command, const Said& said);
void check(const ExplainCommand& command, const Said& said);
void check(const HuntCommand& command, const Said& said);
void check(const ReproduceCommand& command, const Said& said);
inline void check(const CompareCommand&, const Said&) {}
inline void check(const DoctorCommand&, const Said&) {}

}  // namespace verbena::experiments
