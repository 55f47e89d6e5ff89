// A Pilaf server, whose CPUs make the PUTs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/memory/region.h"
#include "rdma/rpc/rpc_handler.h"
#include "rdma/seam/core.h"
#include "txn/kv/pilaf_entry.h"
#include "txn/kv/pilaf_layout.h"
#include "txn/state_at_rest.h"

namespace verbena::rdma {
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::kv {

/// PilafPut, value -> nothing.
inline constexpr rdma::RpcMethod kPilafPut = 3;  // after those of prism::Deaths

/// Begins a request of a PUT; the value follows.
struct PilafPut {
  std::uint64_t table;
  Key key;
};

/// A partition. Clients read it by READs, while this server's workers write an object to an extent
/// of its own and then the entry (PRISM paper, section 6.2). An extent that no entry leads to any
/// more is used again at once: a client that still reads it finds another CRC. See StateAtRest.
/// Workers share it.
class PilafServer final : public txn::StateAtRest {
 public:
  /// Both arguments must outlive this.
  PilafServer(const PilafLayout& layout, rdma::Region& region);

  /// Makes the worker serve its peers.
  void serve(rdma::Worker& worker);

  bool get(const RecordName& name, std::span<std::byte> payload) override;
  void visit_changed(TableId table, PartitionId partition, const ChangedRecord& visitor) override;
  SelfCheck self_check() override;

 private:
  /// Extents of a table that no entry leads to; first in, first out.
  struct Pool {
    SpinLock lock;
    std::deque<std::uint64_t> free;  // offsets
  };
  static constexpr std::size_t kEntryLocks = 1024;

  void put(rdma::Core& core, std::span<const std::byte> request);
  std::uint64_t take_extent(TableId table, rdma::Core& core);
  void free_extent(TableId table, std::uint64_t offset, rdma::Core& core);
  void write_object(std::uint64_t to, std::span<const std::byte> object, rdma::Core& core);
  std::uint64_t swap_entry(std::uint64_t at, PilafEntry entry, rdma::Core& core);
  PilafEntry entry_at(std::uint64_t offset);
  std::string fault(TableId table, std::uint64_t index, const PilafEntry& entry);
  template <typename Visit>
  void visit_touched(TableId table, Visit&& visit);

  const PilafLayout& layout_;
  rdma::Region& region_;
  std::deque<Pool> pools_;  // [TableId]
  std::array<SpinLock, kEntryLocks> entry_locks_;
};

}  // namespace verbena::txn::kv
