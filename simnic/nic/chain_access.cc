// Accesses of operations to memory: what each takes on its way over PCIe, and what it does.
#include <algorithm>
#include <cstring>

#include "simnic/nic/chain_executor.h"
#include "simnic/nic/memory.h"

namespace verbena::simnic {
namespace {

using rdma::ChainOpcode;
using Where = rdma::Place::Where;
using Kind = ChainAccess::Kind;

constexpr std::uint64_t kWordBytes = 8;

}  // namespace

Kind ChainExecutor::kind_of(const ChainExecution& execution,
                            const rdma::OperationRun::Access& access) const {
  const rdma::Operation& operation = execution.operation();
  const ChainOpcode opcode = operation.opcode;
  switch (access.kind) {
    case rdma::OperationRun::Kind::kPointer:
      return Kind::kFetch;
    case rdma::OperationRun::Kind::kRead:
      return opcode == ChainOpcode::kRead ? Kind::kRead : Kind::kFetch;
    case rdma::OperationRun::Kind::kUpdate:
      return Kind::kUpdate;
    case rdma::OperationRun::Kind::kWrite:
      break;
  }
  const bool data = access.from.data() == operation.payload.data();
  return opcode == ChainOpcode::kWrite || (opcode == ChainOpcode::kAllocate && data)
             ? Kind::kWrite
             : Kind::kRedirect;
}

// A write of data is on its way behind others, and nobody waits for it; in chaos mode its operation
// does, so that nothing overtakes its lines.
void ChainExecutor::proceed(ChainExecution& execution, QueuePair& peer) {
  Nic& nic = *peer.nic;
  const rdma::Operation& operation = execution.operation();
  while (const rdma::OperationRun::Access* const access = execution.run->next()) {
    ChainAccess planned;
    planned.kind = kind_of(execution, *access);
    planned.offset = access->offset;
    planned.into = access->into;
    planned.from = access->from;
    const bool data = planned.kind == Kind::kWrite;
    if (data && operation.data.where == Where::kScratch) {
      // A later operation may change the scratch before.
      execution.room.assign(access->from.begin(), access->from.end());
      planned.from = std::span(execution.room).first(access->from.size());
    }
    plan(execution, peer, planned);
    if (!data || chaos_) return;
    execution.run->done();
  }
  if (has_result(execution.run->result().outcome) && !execution.context->scratch_on_nic &&
      scratch_uses(operation).writes) {
    write_scratch(execution, nic);
  }
  if (execution.behind == 0) {
    know_outcome(execution);
    return settle(execution, peer);
  }
  await_outcome(execution, nic);
}

// A write may still be on its way, for which the answer waits, but not the outcome.
void ChainExecutor::await_outcome(ChainExecution& execution, Nic& nic) {
  const Picoseconds time = now() + std::exchange(execution.behind, Picoseconds(0));
  if (execution.accesses.empty()) {
    if (observed_) [[unlikely]] {
      observation_.begin(Stage::kExecute, *execution.packet, now());
      observation_.delay(Station::kMemoryRead, nic, time - now());
      observation_.end(0, time, time);
    }
    execution.accesses.emplace_back();
  } else if (time < execution.last_time) {
    execution.accesses.emplace_front();
  } else {
    execution.accesses.emplace_back();
  }
  execution.last_time = std::max(execution.last_time, time);
  schedule_step(time, execution);
}

Picoseconds ChainExecutor::fetch(ChainExecution& execution, Picoseconds latency, Picoseconds half) {
  if (!std::exchange(execution.fetched, true)) execution.fetches_begin = now() + execution.behind;
  const Picoseconds end = execution.fetches_begin + latency;
  const Picoseconds time = std::max(now(), end - half);
  execution.behind = std::max(now() + execution.behind, end) - time;
  return time - now();
}

void ChainExecutor::read_scratch(ChainExecution& execution, Nic& nic) {
  const auto bytes = static_cast<std::int64_t>(rdma::kScratchBytes);
  Picoseconds wait = 0;
  const Picoseconds latency = stations_.dma_read(Station::kScratch, nic, bytes, wait);
  fetch(execution, wait + latency, wait + latency);
}

// As long as a round trip: until then the NIC does not know that it is there.
void ChainExecutor::write_scratch(ChainExecution& execution, Nic& nic) {
  const auto bytes = static_cast<std::int64_t>(rdma::kScratchBytes);
  Picoseconds wait = 0;
  stations_.dma_write(Station::kScratch, nic, bytes, wait);
  execution.behind += wait + nic.machine.cpu.dma_read_latency;
}

Picoseconds ChainExecutor::way_to_memory(ChainExecution& execution, Nic& nic,
                                         const ChainAccess& access, Picoseconds& wait) {
  const NicProfile& p = nic.machine.nic;
  const Picoseconds half = nic.machine.cpu.dma_read_latency / 2;
  const MessageSize size{.bytes = static_cast<std::int64_t>(access.bytes()), .mtu = p.path_mtu};
  Message& message = execution.packet->message;
  Picoseconds spread = to_picoseconds(Nanoseconds(message.spread_ns));
  Picoseconds latency = execution.behind;
  switch (access.kind) {
    case Kind::kFetch: {
      nic.count(Counter::kPrismFetches);
      const Picoseconds read = stations_.dma_read(Station::kPointerFetch, nic, size.bytes, wait);
      return fetch(execution, read, half);
    }
    case Kind::kRead:
    case Kind::kUpdate:
      latency += stations_.stream_read(Station::kMemoryRead, nic, size, wait, spread) - half;
      latency += stations_.spread_by_unit(nic, size.bytes, spread);
      execution.behind = half;
      break;
    case Kind::kWrite:
      latency += stations_.spread_by_unit(nic, size.bytes, spread);
      latency += stations_.stream_write(Station::kMemoryWrite, nic, size, wait, spread);
      spread = 0;
      break;
    case Kind::kRedirect: {
      // As long as a round trip: until then the NIC does not know that it is there.
      Picoseconds beside = 0;
      latency += stations_.dma_write(Station::kScratch, nic, size.bytes, beside);
      wait = std::max(wait, beside);
      latency += nic.machine.cpu.dma_read_latency - nic.machine.cpu.dma_write_latency - half;
      execution.behind = half;
      break;
    }
    case Kind::kNone:
      break;
  }
  message.spread_ns = static_cast<std::uint32_t>(to_nanoseconds(spread).count());
  return latency;
}

void ChainExecutor::plan(ChainExecution& execution, QueuePair& peer, ChainAccess access) {
  Nic& nic = *peer.nic;
  ChainContext& context = *execution.context;
  if (observed_) [[unlikely]]
    observation_.begin(Stage::kExecute, *execution.packet, now());
  const Picoseconds before = execution.behind;
  Picoseconds wait = 0;
  Picoseconds stall = 0;
  const Region* const region = nic.find_region(execution.packet->message.key);
  Picoseconds latency = stations_.translation(nic, *region, region->start + access.offset,
                                              access.bytes(), stall, wait);
  if (stall != 0) nic.server_of(peer, nic.units).occupy(now(), stall);
  latency += way_to_memory(execution, nic, access, wait);
  const bool effect =
      access.kind == Kind::kWrite || access.kind == Kind::kRedirect || access.kind == Kind::kUpdate;
  const Picoseconds ready = now() + wait + latency;
  Picoseconds time = std::max(ready, execution.last_time);
  time = std::max(time, peer.last_effect);
  if (!std::exchange(execution.accessed, true)) {
    time = std::max(time, context.first_access);
    context.first_access = time;
  }
  if (access.kind == Kind::kUpdate) time = slots_at(nic, access.offset, access.bytes(), time);
  if (effect) peer.last_effect = time + span();
  execution.last_time = time;
  if (observed_) [[unlikely]] {
    const Picoseconds half = nic.machine.cpu.dma_read_latency / 2;
    const bool halved = access.kind != Kind::kWrite;
    if (before == half) observation_.delay(Station::kMemoryRead, nic, half);
    if (halved) observation_.delay(Station::kMemoryRead, nic, -half);
    observation_.end(wait, ready, time);
  }
  execution.accesses.push_back(access);
  schedule_step(time, execution);
}

Picoseconds ChainExecutor::slots_at(Nic& nic, std::uint64_t offset, std::size_t bytes,
                                    Picoseconds time) {
  const NicProfile& p = nic.machine.nic;
  const auto slot = [&nic](std::uint64_t at) -> Server& {
    return nic.atomic_slots[at % nic.atomic_slots.size()];
  };
  if (nic.atomic_slots.empty()) nic.atomic_slots.resize(static_cast<std::size_t>(p.atomic_slots));
  Server* last = &slot(offset);
  for (std::size_t at = kWordBytes; at < bytes; at += kWordBytes) {
    if (Server& one = slot(offset + at); one.free_at() > last->free_at()) last = &one;
  }
  const Picoseconds begin = std::max(time, last->free_at());
  const Picoseconds hold = std::max(p.atomic_hold, span());
  for (std::size_t at = 0; at < bytes; at += kWordBytes) {
    Server& one = slot(offset + at);
    // Several words may have one slot.
    if (one.free_at() <= begin) one.occupy(begin, hold);
  }
  last->add_wait(begin - time);
  if (p.atomic_blocks != 0) {
    for (std::int64_t i = 0; i < p.processing_units; ++i) {
      nic.units[static_cast<std::size_t>(i)].occupy(now(), p.atomic_hold);
    }
  }
  Picoseconds beside = 0;
  stations_.dma_write(Station::kAtomicSlot, nic, static_cast<std::int64_t>(bytes), beside);
  if (observed_) [[unlikely]]
    observation_.slot(nic, hold);
  return begin;
}

bool ChainExecutor::perform(ChainExecution& execution, Nic& nic, Region& region) {
  if (chaos_) [[unlikely]]
    return access_line(execution, nic, region);
  access_whole(execution, execution.accesses.front(), region);
  return true;
}

void ChainExecutor::access_whole(ChainExecution& execution, const ChainAccess& access,
                                 Region& region) {
  copy(execution, access, region, 0, access.bytes());
  if (access.kind != Kind::kUpdate) return;
  const std::span<const std::byte> changed = execution.run->apply();
  if (changed.empty()) return;
  copy_to_region(region, region.start + access.offset, changed.size(), changed.data());
}

void ChainExecutor::copy(ChainExecution& execution, const ChainAccess& access, Region& region,
                         std::size_t from, std::size_t to) {
  const std::uint64_t address = region.start + access.offset + from;
  if (access.from.empty()) {
    return copy_from_region(region, address, to - from, access.into.data() + from);
  }
  copy_to_region(region, address, to - from, access.from.data() + from);
  if (region.watcher == nullptr) return;
  if (observed_) [[unlikely]] {
    observation_.data(*execution.packet,
                      reinterpret_cast<std::uintptr_t>(region_memory(region, address)));
  }
  region.watcher->woken();
}

}  // namespace verbena::simnic
