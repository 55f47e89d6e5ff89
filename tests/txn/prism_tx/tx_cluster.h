// Servers and clients of PRISM-TX, whose transactions run as a test says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rdma/worker.h"
#include "tests/support/test_fabric.h"
#include "txn/participant.h"
#include "txn/prism/layout.h"
#include "txn/prism_tx/records/slot.h"
#include "txn/system.h"
#include "txn/transaction.h"

namespace verbena::testing {

/// Two servers with a partition each, and two clients of one worker. Table 0 has 20 records of
/// 200 B, all zero at first; table 1, which is ordered, has the keys 0, 8, ... 32 and room for some
/// others, all of which may be erased. Bodies run at the clients in turn.
class TxCluster {
 public:
  static constexpr std::uint32_t kServers = 2;
  static constexpr std::uint32_t kClients = 2;
  static constexpr std::uint32_t kFibers = 2;

  using Settings = std::vector<std::pair<std::string, std::string>>;
  using Body = std::function<void(txn::Transaction& transaction, rdma::Worker& worker)>;

  /// `settings` of the system: {"tx.prepare", "pipelined"}.
  explicit TxCluster(const Settings& settings = {});

  /// Runs the bodies, each as a fiber of its own; returns when all have.
  void run(const std::vector<Body>& bodies);

  /// A slot in a server's memory, also while others run, and instead of what it is: as if other
  /// clients had been there. The slot is the `passed`th that is tried for the key.
  txn::prism_tx::Slot slot(const txn::RecordName& name, std::uint64_t passed = 0);
  void set_slot(const txn::RecordName& name, const txn::prism_tx::Slot& slot);

  /// The first word of a record at rest; the keys of table 1 that are there, in order, and how many
  /// these are.
  std::uint64_t word(const txn::RecordName& name);
  std::vector<txn::Key> keys(txn::PartitionId partition, bool descending = false);
  std::uint64_t count_keys(txn::PartitionId partition);

  /// How often the clients counted an event.
  std::uint64_t counted(const std::string& counter);

  /// Faults that servers find in themselves.
  std::vector<std::string> errors();

 private:
  std::byte* slot_at(const txn::RecordName& name, std::uint64_t passed);

  std::unique_ptr<txn::System> system_;
  txn::Deployment deployment_;
  std::unique_ptr<txn::prism::Layout> layout_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<std::unique_ptr<txn::Participant>> nodes_;
  std::vector<std::unique_ptr<txn::Transaction>> transactions_;
};

/// A record of table 0.
constexpr txn::RecordName word_name(txn::Key key, txn::PartitionId partition = 0) {
  return {.table = 0, .partition = partition, .key = key};
}

/// The first word of a payload, to be changed, to be replaced, and as it is; after fetch.
std::uint64_t& word_to_write(txn::Transaction& transaction, txn::Transaction::Handle handle);
std::uint64_t& word_to_replace(txn::Transaction& transaction, txn::Transaction::Handle handle);
std::uint64_t word_read(txn::Transaction& transaction, txn::Transaction::Handle handle);

}  // namespace verbena::testing
