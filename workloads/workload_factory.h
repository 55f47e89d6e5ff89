// Choice of a workload: its description, its parameters, and how it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/parameter.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Size of the cluster that a workload is made for.
struct ClusterSize {
  std::uint32_t partitions = 1;  ///< as the system places them: where all nodes are alike, one each
  std::uint32_t workers = 1;     ///< with clients at home in one partition
  bool key_value_store = false;  ///< of a system whose transactions are of one record each
  bool scans = true;             ///< of a system that can read keys in order
};

/// Description of a workload by itself.
struct WorkloadInfo {
  std::string help;  ///< one sentence: what the transactions do
  /// Words for the reader of a message that tell from what a node's share of the tables follows:
  /// "workload.customers_per_node".
  std::string sizes_follow_from;
  /// Values of parameters with which the tables fit any machine and clusters of three nodes, and so
  /// few records that transactions meet.
  std::vector<std::pair<std::string, std::string>> small_tables;
};

/// One workload that is being chosen: first its parameters are set, then it is made. What is made
/// is independent of the factory. Not thread-safe.
class WorkloadFactory {
 public:
  virtual ~WorkloadFactory() = default;

  virtual const WorkloadInfo& info() const = 0;

  /// Parameters that users may set; the values are in this object.
  virtual std::vector<Parameter> parameters() = 0;

  /// Throws ConfigurationError, in the words of the command line, when the parameters do not fit
  /// the cluster. What it passes may still be refused by make().
  virtual void check(const ClusterSize&) const {}

  /// Throws ConfigurationError when the parameters do not go together or do not fit the cluster.
  virtual std::unique_ptr<Workload> make(const ClusterSize& size) const = 0;
};

/// A factory of a workload that its `Options` make: what is told of it, what users may set of them,
/// and how both become a workload. `check` may be null.
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
