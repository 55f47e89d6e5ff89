// Runs of one request on clusters that differ in a constant.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/config/commands/explain.h"
#include "experiments/explain/request_charges.h"
#include "simnic/loaded_platform.h"
#include "simnic/observer.h"

namespace verbena::experiments {

/// Runs what a command explains. A platform file is loaded once, however often the request is run:
/// every run but the last is then that of a copy of this process, since the profiles of SimGrid's
/// links go on for a whole process and begin with it.
class RequestRuns {
 public:
  /// Throws ConfigurationError for a platform file that cannot be used. `command` must outlive it.
  explicit RequestRuns(const ExplainCommand& command);

  /// Charges of stations for the request of `command`, on the platform of the constructor's;
  /// nothing when no cluster is like that, or no request comes to its end there.
  std::vector<StationCharge> rows_of(const ExplainCommand& command) const;

  /// Runs the command's own request, once, after all others; `also`, unless null, is told what
  /// happens. Throws as charge_request() does.
  RequestCharges run_last(simnic::Observer* also);

 private:
  RequestCharges run(const ExplainCommand& command, simnic::Observer* also) const;

  const ExplainCommand& command_;
  std::unique_ptr<simnic::LoadedPlatform> platform_;  ///< null: the networks are built-in ones
};

}  // namespace verbena::experiments
