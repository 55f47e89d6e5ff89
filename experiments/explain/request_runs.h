// Runs of one request on clusters that differ in a constant.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/config/commands/explain.h"
#include "experiments/explain/request_charges.h"
#include "simnic/observe/observer.h"
#include "simnic/world/loaded_platform.h"

namespace verbena::experiments {

/// Runs the request of a command repeatedly, but loads a platform file only once. Every run except
/// the last is then in a forked copy of this process: profiles of SimGrid's links start once per
/// process and cannot be reset.
class RequestRuns {
 public:
  /// Throws ConfigurationError for a platform file that cannot be used. `command` must outlive this
  /// object.
  explicit RequestRuns(const ExplainCommand& command);

  /// Charges of stations for the request of `command`, on the platform that the constructor loaded;
  /// nothing when such a cluster is impossible or the request does not complete on it.
  std::vector<StationCharge> rows_of(const ExplainCommand& command) const;

  /// Runs the command's own request, once, after all others. `also`, unless null, observes the run.
  /// Throws as charge_request() does.
  RequestCharges run_last(simnic::Observer* also);

 private:
  RequestCharges run(const ExplainCommand& command, simnic::Observer* also) const;

  const ExplainCommand& command_;
  std::unique_ptr<simnic::LoadedPlatform> platform_;  ///< null: the networks are built-in ones
};

}  // namespace verbena::experiments
