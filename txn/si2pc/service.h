// Service of a node's worker for transactions: of its partition, or as the counter server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "rdma/rpc/rpc_handler.h"
#include "rdma/worker.h"
#include "txn/schema/table.h"
#include "txn/si2pc/measures.h"
#include "txn/si2pc/records.h"
#include "txn/si2pc/timestamps.h"

namespace verbena::txn::si2pc {

/// Installs handlers at one worker; must live as long as the worker runs. Worker-local; records and
/// counters are shared by all workers.
class Service {
 public:
  /// `worker`, `schema` and `metrics` must outlive it.
  Service(rdma::Worker& worker, const Schema& schema, WorkerMetrics& metrics);

  /// Serves the first five procedures of Method.
  void serve(Records& records);

  /// Serves the other procedures of Method.
  void serve(Timestamps& timestamps);

  /// Bytes of the longest message that transactions within these limits use.
  static std::size_t message_bytes(const Schema& schema, const TransactionLimits& limits);

  /// Bytes of the shortest message that can carry any single record.
  static std::size_t least_message_bytes(const Schema& schema);

 private:
  using Request = std::span<const std::byte>;
  using Handler = std::function<void(Request request, rdma::RpcReply& reply)>;

  void handle(rdma::RpcMethod method, Phase phase, Handler handler);
  void read(Records& records, Request request, rdma::RpcReply& reply);
  void scan(Records& records, Request request, rdma::RpcReply& reply);
  void prepare(Records& records, Request request, rdma::RpcReply& reply);
  void commit(Records& records, Request request);
  std::uint32_t payload_bytes(TableId table) const;

  rdma::Worker& worker_;
  const Schema& schema_;
  WorkerMetrics& metrics_;
  std::vector<std::optional<std::uint32_t>> entries_;  // of records that are read
  std::vector<std::uint32_t> locked_;                  // of records that are prepared
  std::vector<Key> keys_;                              // of a scan
};

}  // namespace verbena::txn::si2pc
