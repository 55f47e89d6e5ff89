// Parameters of TATP that users may set.
#include "workloads/tatp/factory.h"

#include "workloads/tatp/tatp.h"

namespace verbena::workloads {
namespace {

std::vector<Parameter> parameters(TatpOptions& options) {
  return {{.name = "subscribers_per_worker",
           .help = "subscribers of a node for each of its threads",
           .target = &options.subscribers_per_worker,
           .minimum = 1,
           .maximum = 1e9,
           .condition = "--threads times it a multiple of 4 up to 1000000000"}};
}

std::unique_ptr<Workload> make(const ClusterSize& size, const TatpOptions& options) {
  return std::make_unique<Tatp>(size.partitions, size.workers, options);
}

}  // namespace

std::unique_ptr<WorkloadFactory> tatp_factory() {
  const WorkloadInfo info = {
      .help =
          "look-ups and updates of mobile subscribers' records, with inserts and deletes "
          "(TATP 1.0)",
      .sizes_follow_from = "workload.subscribers_per_worker and --threads",
      .small_tables = {{"subscribers_per_worker", "20"}}};
  return std::make_unique<OptionsFactory<TatpOptions>>(info, parameters, make);
}

}  // namespace verbena::workloads
