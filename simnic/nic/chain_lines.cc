// Chaos: the cache lines of an operation's access, at different times.
#include <algorithm>
#include <deque>
#include <iterator>

#include "rdma/base/cache_line.h"
#include "simnic/nic/chain_executor.h"
#include "simnic/nic/memory.h"

namespace verbena::simnic {
namespace {

using Kind = ChainAccess::Kind;

constexpr std::uint64_t kLine = kCacheLineBytes;

// Time that an operation may stand still, in those over which accesses spread: long enough for
// others to replace what it has found, and to use it again.
constexpr std::int64_t kStandsStill = 10;

std::uint32_t lines_of(const ChainAccess& access) {
  if (access.kind == Kind::kUpdate) return 2;  // the read, and the write
  constexpr std::size_t kPointerAndBound = 16;
  if (access.kind == Kind::kFetch && access.bytes() <= kPointerAndBound) return 1;
  return static_cast<std::uint32_t>((access.offset + access.bytes() - 1) / kLine -
                                    access.offset / kLine + 1);
}

}  // namespace

Picoseconds ChainExecutor::update_in_the_way(const ChainExecution& execution,
                                             const ChainAccess& access, const Nic& nic,
                                             const Region& region) {
  for (const NicChains::Update& update : nic.chains->updates) {
    const std::uint64_t address = region.start + access.offset;
    const bool overlaps =
        address < update.address + update.bytes && update.address < address + access.bytes();
    if (overlaps && update.by != &execution) return update.end;
  }
  return 0;
}

// The operation before may have to wait for an update, where this one has not.
bool ChainExecutor::overtakes(const ChainExecution& execution) {
  if (execution.touched) return false;
  const std::deque<ChainExecution*>& pending = execution.context->pending;
  const auto own = std::find(pending.begin(), pending.end(), &execution);
  if (own == pending.begin()) return false;
  const ChainExecution& before = **std::prev(own);
  return !before.touched && !before.known;
}

void ChainExecutor::begin_lines(ChainExecution& execution, ChainAccess& access, Nic& nic,
                                const Region& region) {
  access.lines = lines_of(access);
  access.end = now() + span() - Picoseconds(1);
  if (access.kind == Kind::kRead) access.first_line = nic.random.below(access.lines);
  // Others may come between what an operation has fetched and what it does with it.
  if (execution.fetched && nic.random.chance(fabric_.chaos_meet)) {
    access.appointment =
        time_.meetings().draw(region_memory(region, region.start + access.offset), nic.random);
    access.end = now() + kStandsStill * span();
  }
}

void ChainExecutor::next_line(ChainExecution& execution, ChainAccess& access, Nic& nic,
                              const Region& region) {
  const auto most = static_cast<std::uint32_t>((fabric_.chaos_jitter / (access.lines + 1)).count());
  const Picoseconds time =
      std::min(now() + Picoseconds(nic.random.below(most + 1)), std::max(access.end, now()));
  if (nic.random.chance(fabric_.chaos_meet)) {
    access.appointment =
        time_.meetings().draw(region_memory(region, region.start + access.offset), nic.random);
  }
  schedule_step(time, execution);
}

bool ChainExecutor::access_line(ChainExecution& execution, Nic& nic, Region& region) {
  ChainAccess& access = execution.accesses.front();
  if (access.lines == 0) begin_lines(execution, access, nic, region);
  if (const Picoseconds end = update_in_the_way(execution, access, nic, region); end != 0) {
    access.end = std::max(access.end, end + span());
    schedule_step(std::max(now(), end) + Picoseconds(1), execution);
    return false;
  }
  if (now() < access.end && !time_.meetings().kept(access.appointment)) {
    schedule_step(std::min(now() + Meetings::draw_look(nic.random), access.end), execution);
    return false;
  }
  if (overtakes(execution)) {
    schedule_step(now() + Meetings::draw_look(nic.random), execution);
    return false;
  }
  execution.touched = true;
  access.appointment = {};
  if (fabric_.chaos_meet != 0) {
    time_.meetings().note_access(region_memory(region, region.start + access.offset));
  }
  if (access.kind == Kind::kUpdate) return update_line(execution, access, nic, region);
  const std::uint64_t begin = access.offset / kLine * kLine;
  const std::uint64_t line = (access.first_line + access.lines_done) % access.lines;
  const std::uint64_t end = access.offset + access.bytes();
  if (access.lines == 1) {
    copy(execution, access, region, 0, access.bytes());
  } else {
    const std::uint64_t from = std::max(access.offset, begin + line * kLine);
    const std::uint64_t to = std::min(end, begin + (line + 1) * kLine);
    copy(execution, access, region, from - access.offset, to - access.offset);
  }
  if (++access.lines_done == access.lines) return true;
  next_line(execution, access, nic, region);
  return false;
}

// No operation of PRISM comes between; a CPU may, and so may READs and WRITEs of libibverbs.
bool ChainExecutor::update_line(ChainExecution& execution, ChainAccess& access, Nic& nic,
                                Region& region) {
  std::vector<NicChains::Update>& updates = nic.chains->updates;
  if (access.lines_done == 0) {
    copy(execution, access, region, 0, access.bytes());
    access.from = execution.run->apply();
    if (access.from.empty()) return true;
    updates.push_back({.by = &execution,
                       .address = region.start + access.offset,
                       .bytes = access.bytes(),
                       .end = access.end});
    ++access.lines_done;
    next_line(execution, access, nic, region);
    return false;
  }
  copy(execution, access, region, 0, access.bytes());
  std::erase_if(updates, [&](const NicChains::Update& one) { return one.by == &execution; });
  return true;
}

}  // namespace verbena::simnic
