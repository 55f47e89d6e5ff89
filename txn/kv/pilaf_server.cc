// PUTs: an extent, then the entry.
#include "txn/kv/pilaf_server.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "rdma/base/bounded_reader.h"
#include "rdma/base/cache_line.h"
#include "rdma/rpc/rpc.h"
#include "rdma/worker.h"

namespace verbena::txn::kv {
namespace {

using rdma::Work;

constexpr std::size_t kMostErrors = 10;
constexpr std::uint64_t kPage = rdma::FirstTouchMemory::kPageBytes;

// Stores a word that NICs may read meanwhile.
void store_word(std::byte* shared, const std::byte* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(shared)).store(word, std::memory_order_release);
}

}  // namespace

PilafServer::PilafServer(const PilafLayout& layout, rdma::Region& region)
    : layout_(layout), region_(region) {
  for (std::size_t t = 0; t < layout.schema().size(); ++t) {
    Pool& pool = pools_.emplace_back();
    const PilafLayout::Extents& extents = layout.extents(static_cast<TableId>(t));
    for (std::uint64_t extent = extents.loaded; extent < extents.count; ++extent) {
      pool.free.push_back(extents.offset(extent));
    }
  }
}

void PilafServer::serve(rdma::Worker& worker) {
  worker.rpc().serve(kPilafPut,
                     [this, &worker](const rdma::RpcCaller&, std::span<const std::byte> request,
                                     rdma::RpcReply&) { put(worker.core(), request); });
}

void PilafServer::put(rdma::Core& core, std::span<const std::byte> request) {
  BoundedReader reader(request);
  const auto asked = reader.take<PilafPut>();
  check_below(asked.table, layout_.schema().size(), "the table");
  const auto table = static_cast<TableId>(asked.table);
  const std::uint32_t value_bytes = layout_.schema()[table].payload_bytes;
  const std::span<const std::byte> value = reader.take_bytes(value_bytes);
  const std::optional<std::uint64_t> at = layout_.entry(table, asked.key);
  if (!at) throw Malformed("writes key " + std::to_string(asked.key) + ", which was not loaded");
  core.spend(Work::kIndexProbe);
  std::vector<std::byte> object(layout_.object_bytes(table));
  const PilafObject header{.key_bytes = sizeof(Key), .value_bytes = value_bytes, .key = asked.key};
  std::memcpy(object.data(), &header, sizeof header);
  std::memcpy(object.data() + sizeof header, value.data(), value_bytes);
  core.spend(Work::kCrcLine, cache_lines(object.size()) + 1);
  const std::uint64_t extent = take_extent(table, core);
  write_object(extent, object, core);
  const std::uint64_t replaced = swap_entry(
      *at, {.object = extent, .bytes = object.size(), .object_crc = crc_of(object)}, core);
  free_extent(table, replaced, core);
}

// Each worker has one at a time, so there is one for each.
std::uint64_t PilafServer::take_extent(TableId table, rdma::Core& core) {
  Pool& pool = pools_[table];
  pool.lock.lock([&core] { core.give_way(); });
  if (pool.free.empty()) throw std::logic_error("fewer spare extents than workers");
  const std::uint64_t offset = pool.free.front();
  pool.free.pop_front();
  pool.lock.unlock();
  return offset;
}

void PilafServer::free_extent(TableId table, std::uint64_t offset, rdma::Core& core) {
  Pool& pool = pools_[table];
  pool.lock.lock([&core] { core.give_way(); });
  pool.free.push_back(offset);
  pool.lock.unlock();
}

void PilafServer::write_object(std::uint64_t to, std::span<const std::byte> object,
                               rdma::Core& core) {
  core.spend(Work::kCopyLine, cache_lines(object.size()));
  std::byte* const shared = region_.at(to, object.size());
  for (std::size_t at = 0; at < object.size(); at += sizeof(std::uint64_t)) {
    std::array<std::byte, sizeof(std::uint64_t)> word{};
    std::memcpy(word.data(), object.data() + at, std::min(word.size(), object.size() - at));
    if (at % kCacheLineBytes == 0) core.step(shared + at);
    store_word(shared + at, word.data());
  }
  core.step(shared);
}

// Returns the extent of the object that it led to.
std::uint64_t PilafServer::swap_entry(std::uint64_t at, PilafEntry entry, rdma::Core& core) {
  SpinLock& lock = entry_locks_[at / kCacheLineBytes % kEntryLocks];
  core.spend(Work::kLocalAtomic);
  lock.lock([&core] { core.give_way(); });
  const std::lock_guard guard(lock, std::adopt_lock);
  const PilafEntry replaced = entry_at(at);
  entry.version = replaced.version + 1;
  entry.entry_crc = entry.computed_crc();
  std::byte* const shared = region_.at(at, sizeof entry);
  const auto* const words = reinterpret_cast<const std::byte*>(&entry);
  for (std::size_t word = 0; word < sizeof entry; word += sizeof(std::uint64_t)) {
    store_word(shared + word, words + word);
    core.step(shared);
  }
  return replaced.object;
}

PilafEntry PilafServer::entry_at(std::uint64_t offset) {
  PilafEntry entry;
  std::memcpy(&entry, region_.at(offset, sizeof entry), sizeof entry);
  return entry;
}

bool PilafServer::get(const RecordName& name, std::span<std::byte> payload) {
  const std::optional<std::uint64_t> at = layout_.entry(name.table, name.key);
  if (!at) return false;
  std::memcpy(
      payload.data(),
      region_.at(entry_at(*at).object, sizeof(PilafObject) + payload.size()) + sizeof(PilafObject),
      payload.size());
  return true;
}

// Skips pages that nobody has looked at: all on them is as it was loaded.
template <typename Visit>
void PilafServer::visit_touched(TableId table, Visit&& visit) {
  const std::uint64_t first = layout_.entry_at(table, 0);
  const std::uint64_t end = layout_.entry_at(table, layout_.extents(table).loaded);
  rdma::FirstTouchMemory& memory = region_.memory();
  for (std::uint64_t page = memory.next_filled(first / kPage); page * kPage < end;
       page = memory.next_filled(page + 1)) {
    for (std::uint64_t at = page * kPage; at < std::min(end, (page + 1) * kPage);
         at += kCacheLineBytes) {
      visit((at - first) / kCacheLineBytes, entry_at(at));
    }
  }
}

void PilafServer::visit_changed(TableId table, PartitionId /*partition*/,
                                const ChangedRecord& visitor) {
  const std::uint32_t bytes = layout_.schema()[table].payload_bytes;
  visit_touched(table, [&](std::uint64_t index, const PilafEntry& entry) {
    if (entry.version == 1) return;
    const std::byte* const value =
        region_.at(entry.object, sizeof(PilafObject) + std::uint64_t{bytes}) + sizeof(PilafObject);
    visitor(layout_.keys(table).key_of(index), true, {value, bytes});
  });
}

// Tells the fault of an entry; empty: none.
std::string PilafServer::fault(TableId table, std::uint64_t index, const PilafEntry& entry) {
  if (!entry.whole()) return "has another CRC than it says";
  if (crc_of({region_.at(entry.object, entry.bytes), entry.bytes}) != entry.object_crc) {
    return "leads to an object with another CRC than it says";
  }
  PilafObject header;
  std::memcpy(&header, region_.at(entry.object, sizeof header), sizeof header);
  if (header.key != layout_.keys(table).key_of(index)) {
    return "leads to an object of key " + std::to_string(header.key);
  }
  return {};
}

SelfCheck PilafServer::self_check() {
  SelfCheck check;
  const auto report = [&](std::string what) {
    if (check.errors.size() < kMostErrors) check.errors.push_back(std::move(what));
  };
  for (std::size_t t = 0; t < layout_.schema().size(); ++t) {
    const auto table = static_cast<TableId>(t);
    const PilafLayout::Extents& extents = layout_.extents(table);
    std::vector<std::uint8_t> uses(extents.count);
    std::fill_n(uses.begin(), extents.loaded, 1);
    const auto use = [&](std::uint64_t offset) -> std::uint8_t& {
      return uses.at((offset - extents.first) / extents.bytes);
    };
    visit_touched(table, [&](std::uint64_t index, const PilafEntry&) { --uses[index]; });
    visit_touched(table, [&](std::uint64_t index, const PilafEntry& entry) {
      ++check.records;
      ++use(entry.object);
      const std::string what = fault(table, index, entry);
      if (!what.empty()) report("entry " + std::to_string(index) + " " + what);
    });
    for (const std::uint64_t offset : pools_[t].free) ++use(offset);
    for (std::size_t extent = 0; extent < uses.size(); ++extent) {
      if (uses[extent] == 1) continue;
      report("extent " + std::to_string(extent) + " has " + std::to_string(uses[extent]) +
             " uses, and may have one");
    }
  }
  return check;
}

}  // namespace verbena::txn::kv
