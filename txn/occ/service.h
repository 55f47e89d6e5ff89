// Service of a worker for its peers' transactions: handlers of the two-sided phases, and
// application of logs as a backup.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"
#include "txn/log/log_origin.h"
#include "txn/log/log_ring.h"
#include "txn/occ/node/messages.h"
#include "txn/store/store_layout.h"

namespace verbena::txn::occ {

class NodeState;
class Measurements;
class PastLogs;

/// Serves the procedures of Method at one worker. The CPU takes and releases locks (DrTM+H paper,
/// section 5.2).
class Service {
 public:
  /// Installs the handlers; the service must live as long as the worker runs.
  Service(NodeState& node, rdma::Worker& worker, Measurements& measurements);

  /// Starts with peers' rings that hold `past` records, which must live as long as the worker runs.
  /// `applied`: true if messages have already had this node apply them.
  void begin_with(const PastLogs& past, bool applied);

  /// Counts of updates applied as a backup.
  struct Applied {
    std::uint64_t updates = 0;
    std::uint64_t changed = 0;  ///< of them, those that were newer than what was there
    std::uint64_t indexed = 0;

    void add(const Applied& other) {
      updates += other.updates;
      changed += other.changed;
      indexed += other.indexed;
    }
  };

  /// Applies the records that rings hold and nobody has asked to apply. To be called when nothing
  /// runs any more: all their transactions are decided. Called again, it may apply them again,
  /// which changes nothing. Throws PeerError, naming the writer, for a record that is malformed.
  Applied apply_at_rest();

 private:
  using Request = std::span<const std::byte>;

  void read(Request request, rdma::RpcReply& reply);
  void lock(Request request, rdma::RpcReply& reply);
  void validate(Request request, rdma::RpcReply& reply);
  void log(const rdma::RpcCaller& caller, Request request);
  void commit(Request request);
  void unlock(Request request);
  void scan(Request request, rdma::RpcReply& reply);
  void unindex(Request request);
  void apply_message(const rdma::RpcCaller& caller, Request request);
  void reclaim(const rdma::RpcCaller& caller, Request request, rdma::RpcReply& reply);

  const TableLayout& table(TableId table) const;
  std::byte* live_record(TableId name, std::uint32_t entry);
  void reach_full_scan(bool descending);
  bool inserted_by(std::uint64_t owner, TableId table, std::uint32_t entry);
  void remove_from_index(const RecordUpdate& record);
  StatusReply::Status lock_one(const RecordCheck& record, std::uint64_t owner, bool& locked);
  StatusReply::Status validate_one(const RecordCheck& record);
  /// A ring here, of one worker of one node.
  struct Source {
    LogRingReader reader;
    LogOrigin origin;
  };
  Source begin_of(NodeId node) const;
  Source& source(NodeId node);
  void apply_to_end(const rdma::RpcCaller& writer, Source& source, Applied& applied);
  void check_origin(const LogRecordReader& record, const rdma::RpcCaller& caller, Source& source);
  std::string name_of_log(const rdma::RpcCaller& writer) const;
  void apply(const LogRecordReader& record);
  Applied store(const LogRecordReader& record, rdma::Core* core);
  void store(const LogUpdate& update, const std::byte* payload, Applied& applied, rdma::Core* core);
  void count(const Applied& applied);

  NodeState& node_;
  rdma::Worker& worker_;
  Measurements& measurements_;
  std::vector<Key> keys_;               // of the current scan
  std::vector<std::byte> scratch_;      // for payloads that are not needed
  std::vector<std::byte> record_copy_;  // copy of a log's record
  const PastLogs* past_ = nullptr;      // records with which rings began; null: none
  bool past_applied_ = false;           // none of them is left to be applied
  // Rings of the peer workers, by node; made when something is first applied from them.
  std::vector<std::unique_ptr<Source>> sources_;
};

}  // namespace verbena::txn::occ
