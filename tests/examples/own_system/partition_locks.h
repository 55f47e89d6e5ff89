// A transaction system in a few pages, for tests of what all systems share: memory nodes apart from
// compute nodes, one lock for each partition, records read and written one-sided.
#pragma once

#include <cstdint>
#include <memory>

#include "txn/system.h"

namespace verbena::testing {

/// Two-phase locking of whole partitions. The last nodes keep two each, the others run
/// transactions: they lock partitions by compare-and-swap, READ records, and WRITE what has
/// changed, then the lock word. Memory nodes' CPUs do nothing. There are neither inserts, scans nor
/// backups.
class PartitionLocks final : public txn::System {
 public:
  /// When attempts take timestamps, if they do: while they hold their locks, which orders them as
  /// these do, or before they have any, which must be found out.
  enum class Timestamps : std::uint8_t { kNone, kWhileLocked, kAtBegin };

  struct Options {
    std::uint32_t memory_nodes = 1;
    std::uint32_t memory_workers = 1;           ///< threads of each, which only drain
    bool locks = true;                          ///< without them checks must find something
    Timestamps timestamps = Timestamps::kNone;  ///< else they order attempts
  };

  explicit PartitionLocks(const Options& options);

  const txn::SystemInfo& info() const override { return info_; }
  txn::View place(const txn::ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked,
                                 const txn::Deployment& deployment, NodeId node) const override;
  std::unique_ptr<txn::Participant> join(rdma::Endpoint& endpoint,
                                         const txn::Deployment& deployment) const override;

 private:
  Options options_;
  txn::SystemInfo info_;
};

}  // namespace verbena::testing
