// Overrides of single constants of the layers rdma, txn and workloads: SECTION.KEY=VALUE.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/config/options.h"
#include "txn/system.h"
#include "workloads/run/cluster_run.h"

namespace verbena::experiments {

/// What overrides change, but for workloads (see chosen_workload). The system starts as
/// Options::system with Options::plan; copies share it.
struct Tuning {
  workloads::RunOptions run;
  std::shared_ptr<txn::System> system;
};

/// One key that --set and configuration files accept.
struct OverrideKey {
  std::string key;      ///< e.g. "rdma.signal_interval"
  std::string allowed;  ///< range or choices, with unit
  std::string initial;  ///< value when nothing is said; empty where the profile tells
  unsigned commands;    ///< CommandSet
  bool simulated_only;
  std::vector<std::string> workloads = {};  ///< that have it; empty: all, or none
};

/// Every key, those of simulated hardware included.
std::vector<OverrideKey> override_keys();

/// Throws ConfigurationError for a key that is unknown (naming the nearest) or does not apply to
/// the command and fabric of `options`, and for a value that is not allowed.
void check_override(const std::string& key, const std::string& value, const Options& options);

/// The tuning of a run or bench: defaults, the shape of the cluster, then the overrides that do not
/// belong to simulated hardware. Throws ConfigurationError as check_override does, and for values
/// that do not go together.
Tuning make_tuning(const Options& options);

/// What --device, --port and --gid-index ask for, once for each of `nics`; empty when they leave it
/// open.
std::vector<rdma::DeviceChoice> device_choices(const Options& options, std::uint32_t nics);

}  // namespace verbena::experiments
