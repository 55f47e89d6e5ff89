// Taking entries out of runs, and getting others.
#include "txn/nam/index/extents.h"

#include <algorithm>
#include <utility>

#include "rdma/base/message_io.h"
#include "txn/nam/records/record_bounds.h"

namespace verbena::txn::nam {

std::uint32_t Extents::take(const RecordName& name, Nanoseconds now) {
  Pool& pool = pools_[part_of(name)];
  pool.used_at = now;
  if (pool.runs.empty()) return kAnyEntry;
  EntryRun& run = pool.runs.back();
  const std::uint32_t entry = run.first++;
  if (--run.count == 0) pool.runs.pop_back();
  return entry;
}

void Extents::put_back(const RecordName& name, std::uint32_t entry) {
  pools_[part_of(name)].runs.push_back({.first = entry, .count = 1});
}

void Extents::refill(rdma::RpcBatch& calls, std::span<const RecordName> wanted, std::uint64_t owner,
                     Nanoseconds now) {
  std::map<TablePart, std::uint32_t> needed;
  for (const RecordName& name : wanted) ++needed[part_of(name)];
  for (const auto& [part, records] : needed) {
    const AllocateRequest request{.owner = owner,
                                  .wanted = std::max(records, extent(part)),
                                  .partition = part.partition,
                                  .table = part.table,
                                  .reserved = {}};
    calls.add(layout_.view().primary(part.partition), Method::kAllocate,
              std::as_bytes(std::span(&request, 1)));
  }
  free_idle(calls, now);
  calls.post();
  calls.wait();
  std::size_t call = 0;
  for (const auto& [part, records] : needed) {
    calls.take(call++, [&](std::span<const std::byte> bytes) {
      for (MessageReader reply(bytes); !reply.rest().empty();) {
        const auto run = reply.take<EntryRun>();
        check_within(run.count, 1, layout_.table(part.table).entries, "entries in a run");
        check_entry(layout_, part.table, std::uint64_t{run.first} + run.count - 1);
        pools_[part].runs.push_back(run);
      }
    });
  }
  calls.clear();
}

std::uint32_t Extents::extent(const TablePart& part) const {
  const Layout::Table& table = layout_.table(part.table);
  const std::uint64_t capacity = table.entries - table.keys.count();
  const std::uint64_t share = capacity / (std::uint64_t{4} * layout_.fibers().workers());
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(records_, share));
}

void Extents::free_idle(rdma::RpcBatch& calls, Nanoseconds now) {
  for (auto& [part, pool] : pools_) {
    if (pool.runs.empty() || now - pool.used_at < idle_) continue;
    const std::size_t runs = std::min(pool.runs.size(), kMostRuns);
    const auto freed = std::span(pool.runs).last(runs);
    MessageWriter out(calls.reserve(layout_.view().primary(part.partition), Method::kFree,
                                    sizeof(FreeRequest) + freed.size_bytes()));
    out.put(FreeRequest{.partition = part.partition, .table = part.table, .reserved = {}});
    out.put_padded(std::as_bytes(freed));
    pool.runs.resize(pool.runs.size() - runs);
  }
}

}  // namespace verbena::txn::nam
