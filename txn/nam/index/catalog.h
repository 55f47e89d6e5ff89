// A memory server's part of the catalog of where tables are.
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

/// A memory server's part of the catalog (NAM-DB paper, section 6.1): tables of partitions, of
/// whichever servers, are distributed over parts by hashing. What can change of a table is its
/// hash buckets, so that is what the catalog knows of each. A version in the server's memory counts
/// the changes; compute servers, which remember what they were told, READ it. Thread-safe.
class Catalog {
 public:
  /// `layout`, and `memory`, that of the server's records, must outlive it.
  Catalog(const Layout& layout, NodeId server, rdma::FirstTouchMemory& memory);

  /// Sets the generation that it tells at first of a part whose home the server is; else that is
  /// the first.
  void begin_with(const TablePart& part, std::uint32_t generation) {
    generations_[part] = generation;
  }

  /// Installs the handlers; it must live as long as the worker runs.
  void serve(rdma::Worker& worker);

 private:
  void describe(std::span<const std::byte> request, rdma::RpcReply& reply);
  void alter(const AlterRequest& asked);
  std::uint64_t& version() const;

  const Layout& layout_;
  rdma::FirstTouchMemory& memory_;
  const std::uint64_t version_offset_;
  SpinLock changing_;
  std::map<TablePart, std::uint32_t> generations_;  // other than the first
};

}  // namespace verbena::txn::nam
