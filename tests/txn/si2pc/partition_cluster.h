// Nodes with a partition each and a counter server, whose transactions run as a test says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rdma/worker.h"
#include "tests/support/test_fabric.h"
#include "txn/participant.h"
#include "txn/system.h"
#include "txn/transaction.h"

namespace verbena::testing {

/// Two nodes with a partition and a worker of two fibers, and the counter server. Table 0 has ten
/// records of 200 B, all zero at first; table 1, which is ordered, has the keys 0, 8, ... 32 and
/// room for some others. Bodies run at nodes 0 and 1 in turn.
class PartitionCluster {
 public:
  struct Options {
    std::uint64_t seed = 1;
    bool chaos = false;
    std::uint32_t versions = 3;
    Nanoseconds longest_transaction = kSecond;
  };
  using Body = std::function<void(txn::Transaction& transaction, rdma::Worker& worker)>;

  explicit PartitionCluster(const Options& options);

  /// Runs the bodies, each as a fiber of its own; returns when all have.
  void run(const std::vector<Body>& bodies);

  /// The first word of a record of table 0 at rest.
  std::uint64_t word(txn::PartitionId partition, txn::Key key);

  /// Keys of table 1 that are there, in order, and how many these are as the node counts them.
  std::vector<txn::Key> keys(txn::PartitionId partition);
  std::uint64_t count_keys(txn::PartitionId partition);

  /// Errors that nodes find in themselves.
  std::vector<std::string> errors();

 private:
  static constexpr std::uint32_t kPartitions = 2;
  static constexpr std::uint32_t kFibers = 2;

  FabricShape shape_;
  std::unique_ptr<txn::System> system_;
  txn::Deployment deployment_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<std::unique_ptr<txn::Participant>> nodes_;
  std::vector<std::unique_ptr<txn::Transaction>> transactions_;
};

/// The first word of a payload, to be changed and as it is; after fetch.
std::uint64_t& word_to_write(txn::Transaction& transaction, txn::Transaction::Handle handle);
std::uint64_t word_read(txn::Transaction& transaction, txn::Transaction::Handle handle);

}  // namespace verbena::testing
