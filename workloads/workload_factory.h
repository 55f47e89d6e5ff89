// Descriptions and parameters of workloads, and their construction.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/parameter.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Properties of the cluster that a workload is made for.
struct ClusterSize {
  std::uint32_t partitions = 1;  ///< as placed by the system; where all nodes are alike, one each
  std::uint32_t workers = 1;     ///< number with clients at home in one partition
  bool key_value_store = false;  ///< the system's transactions are of one record each
  bool scans = true;             ///< the system can read keys in order
};

/// Description of a workload.
struct WorkloadInfo {
  std::string help;  ///< one sentence: what the transactions do
  /// Words for messages that name what determines the size of a node's tables:
  /// "workload.customers_per_node".
  std::string sizes_follow_from;
  /// Values of parameters for small tables: they fit any machine and clusters of three nodes, and
  /// cause conflicts.
  std::vector<std::pair<std::string, std::string>> small_tables;
};

/// Makes one workload after its parameters are set. The workload does not depend on the factory's
/// life. Not thread-safe.
class WorkloadFactory {
 public:
  virtual ~WorkloadFactory() = default;

  virtual const WorkloadInfo& info() const = 0;

  /// Parameters that users may set. Their values are stored in this object.
  virtual std::vector<Parameter> parameters() = 0;

  /// Throws ConfigurationError, in the words of the command line, when the parameters do not fit
  /// the cluster. make() may still refuse parameters that pass.
  virtual void check(const ClusterSize&) const {}

  /// Throws ConfigurationError when the parameters contradict each other or do not fit the cluster.
  virtual std::unique_ptr<Workload> make(const ClusterSize& size) const = 0;
};

/// A factory for a workload with the parameter structure `Options`. Its functions list the
/// parameters, make the workload and check the parameters; `check` may be null.
template <typename Options>
class OptionsFactory final : public WorkloadFactory {
 public:
  using Parameters = std::vector<Parameter> (*)(Options&);
  using Make = std::unique_ptr<Workload> (*)(const ClusterSize&, const Options&);
  using Check = void (*)(const ClusterSize&, const Options&);

  OptionsFactory(WorkloadInfo info, Parameters parameters, Make make, Check check = nullptr)
      : info_(std::move(info)), parameters_(parameters), make_(make), check_(check) {}

  const WorkloadInfo& info() const override { return info_; }
  std::vector<Parameter> parameters() override { return parameters_(options_); }
  void check(const ClusterSize& size) const override {
    if (check_ != nullptr) check_(size, options_);
  }
  std::unique_ptr<Workload> make(const ClusterSize& size) const override {
    return make_(size, options_);
  }

 private:
  WorkloadInfo info_;
  Parameters parameters_;
  Make make_;
  Check check_;
  Options options_;
};

}  // namespace verbena::workloads
