// Catalog of tables: one memory server's part.
#pragma once

#include <cstdint>
#include <map>

#include "rdma/base/spin_lock.h"
#include "rdma/endpoint.h"
#include "rdma/rpc/rpc_handler.h"
#include "rdma/seam/first_touch_memory.h"
#include "rdma/worker.h"
#include "txn/nam/messages.h"
#include "txn/nam/records/layout.h"

namespace verbena::txn::nam {

/// Tells the generation of the hash buckets of tables (NAM-DB paper, section 6.1), the only thing
/// about a table that can change. The partitions' tables of all servers are distributed over the
/// servers' parts by hashing. A version in the server's memory counts the changes; compute servers,
/// which cache the answers, READ it. Thread-safe.
class Catalog {
 public:
  /// `layout` and `memory`, that of the server's records, must outlive it.
  Catalog(const Layout& layout, NodeId server, rdma::FirstTouchMemory& memory);

  /// Sets the generation that it first tells of a partition's table; the default is the first. The
  /// server must be the table's home.
  void begin_with(const TablePart& part, std::uint32_t generation) {
    generations_[part] = generation;
  }

  /// Installs the handlers; the catalog must live as long as the worker runs.
  void serve(rdma::Worker& worker);

 private:
  void describe(std::span<const std::byte> request, rdma::RpcReply& reply);
  void alter(const AlterRequest& asked);
  std::uint64_t& version() const;

  const Layout& layout_;
  rdma::FirstTouchMemory& memory_;
  const std::uint64_t version_offset_;
  SpinLock changing_;
  std::map<TablePart, std::uint32_t> generations_;  // those other than the first
};

}  // namespace verbena::txn::nam
