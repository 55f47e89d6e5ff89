// What users may set of TATP.
#include "workloads/tatp/factory.h"

#include "workloads/tatp/tatp.h"

namespace verbena::workloads {
namespace {

class Factory : public WorkloadFactory {
 public:
  const WorkloadInfo& info() const override {
    static const WorkloadInfo info = {
        .help =
            "look-ups and updates of mobile subscribers' records, with inserts and deletes "
            "(TATP 1.0)",
        .sizes_follow_from = "workload.subscribers_per_worker and --threads",
        .small_tables = {{"subscribers_per_worker", "20"}}};
    return info;
  }

  std::vector<Parameter> parameters() override {
    return {{.name = "subscribers_per_worker",
             .help = "subscribers of a node for each of its threads",
             .target = &options_.subscribers_per_worker,
             .minimum = 1,
             .maximum = 1e9,
             .condition = "--threads times it a multiple of 4 up to 1000000000"}};
  }

  std::unique_ptr<Workload> make(const ClusterShape& shape) const override {
    return std::make_unique<Tatp>(shape.nodes, shape.workers, options_);
  }

 private:
  TatpOptions options_;
};

}  // namespace

std::unique_ptr<WorkloadFactory> tatp_factory() { return std::make_unique<Factory>(); }

}  // namespace verbena::workloads
