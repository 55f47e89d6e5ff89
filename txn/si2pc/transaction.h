// Transactions over partitions that their nodes' workers read and write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/message_io.h"
#include "rdma/rpc/rpc_batch.h"
#include "rdma/worker.h"
#include "txn/si2pc/measures.h"
#include "txn/si2pc/messages.h"
#include "txn/snapshot/server_group.h"
#include "txn/snapshot/snapshot_transaction.h"
#include "txn/stamp.h"
#include "txn/system.h"
#include "txn/transaction.h"

namespace verbena::txn::si2pc {

/// Default of NodeOptions::longest_transaction.
inline constexpr Nanoseconds kLongestTransaction = 100 * kMillisecond;

/// Runs transactions under snapshot isolation by two-phase commit (NAM-DB paper, sections 3.1, 7.1
/// and 7.2: the shared-nothing baseline). An attempt
/// - asks the counter server for a snapshot, and again if it lacks the fiber's own last commit;
/// - reads records by RPCs, one to each node or as many as its records fill; its own CPU reads the
///   own partition. Nodes do scans, too, which give exactly the keys of the snapshot;
/// - makes all nodes that it writes to prepare: they lock its records if the snapshot holds their
///   current versions. If one finds otherwise, the attempt makes all that had prepared unlock, and
///   gives up;
/// - asks for a commit timestamp;
/// - makes the nodes install what it writes, which unlocks;
/// - commits, when all have answered, by a notification to the counter server that the commit is
///   finished.
/// An attempt that only reads commits at once. Belongs to its fiber.
class Si2pcTransaction final : public SnapshotTransaction {
 public:
  /// `longest_transaction`: an attempt with an older snapshot gives up. All references must outlive
  /// it.
  Si2pcTransaction(rdma::Worker& worker, std::uint16_t fiber, const Deployment& deployment,
                   Nanoseconds longest_transaction, WorkerMetrics& metrics);

  bool prefetches() const override { return true; }

  /// Tells what the transaction waits for (transaction_waiting.cc).
  std::string waits_for() const override;

 protected:
  void forget_attempt() override;
  ReadSnapshot ask_for_snapshot(const Stamp& own) override;
  void await_answers() override { take_reads(remote_); }
  Handle note(const RecordName& name, Intent intent) override;
  void prefetch_noted() override;
  bool fetch_noted() override;
  /// Appends exactly the keys of the snapshot.
  bool scan_range(const KeyRange& range, std::uint32_t limit, std::vector<Key>& keys) override;
  bool commit_attempt() override;
  void count_attempt(Nanoseconds decided) override { metrics_.decide(decided, cause()); }

 private:
  /// Step of an attempt, for waits_for().
  enum class Step : std::uint8_t {
    kReads,
    kSnapshot,
    kScans,
    kPrepares,
    kReleases,
    kNumbers,
    kCommits
  };
  /// Record that stood in an attempt's way: `name`, or one of `among` records of its node.
  struct Obstacle {
    RecordName name;
    std::size_t among;
  };
  struct Access {
    RecordName name;
    NodeId node;
    std::uint32_t entry = 0;  // valid if `locked`
    bool locked = false;
  };
  /// Calls, and the records of each call, one call after the other.
  struct Calls {
    explicit Calls(rdma::Rpc& rpc) : batch(rpc) {}
    void clear() {
      batch.clear();
      records.clear();
      counts.clear();
    }
    rdma::RpcBatch batch;
    std::vector<Handle> records;
    std::vector<std::size_t> counts;
  };
  using SizesOf = std::function<RecordSizes(Handle record)>;
  /// Appends a record to a message.
  using Put = std::function<void(MessageWriter& message, Handle record)>;
  struct Plan {
    rdma::RpcMethod method;
    std::span<const std::byte> head;  // of each request
    SizesOf sizes;
    Put put;
  };

  bool is_own(Handle record) const { return accesses_[record].node == worker_.node(); }
  std::uint32_t padded_bytes(Handle record) const { return (items_[record].bytes + 7) / 8 * 8; }
  std::uint64_t ask_counter(rdma::RpcMethod method);
  bool check_age();
  void lose(AbortCause cause, Handle record, std::size_t among);
  std::string in_the_way() const;
  void ask(Handle first);
  void send_calls(Calls& calls, std::span<const Handle> records, const Plan& plan);
  void take_reads(Calls& calls);
  void settle(Handle record, const ReadStatus& read, std::span<const std::byte> payload);

  // transaction_commit.cc
  void find_written();
  bool prepare();
  void take_prepared();
  void release();
  void commit(std::uint64_t timestamp);

  const Deployment& deployment_;
  WorkerMetrics& metrics_;
  const std::uint16_t fiber_;
  const NodeId counter_server_;
  Calls local_;
  Calls remote_;
  rdma::RpcBatch counter_;
  std::vector<std::byte> memory_;  // of payloads
  std::size_t used_ = 0;           // bytes of memory_
  std::vector<Access> accesses_;
  std::vector<Handle> order_;                 // of records to send, by node
  Handle asked_ = 0;                          // records before it were asked for
  std::uint64_t snapshot_ = 0;                // valid once taken
  std::array<std::uint32_t, 2> counts_ = {};  // the snapshot, by slots of a vector
  std::uint64_t owner_ = 0;                   // lock word of the attempt
  std::uint16_t attempts_ = 0;
  Step step_ = Step::kReads;
  std::optional<Obstacle> obstacle_;  // of the latest attempt that had one
};

}  // namespace verbena::txn::si2pc
