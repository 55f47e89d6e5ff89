// Chaos: the cache lines of one request, which are accessed at different times.
#include <algorithm>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "simnic/nic/memory.h"
#include "simnic/nic/responder.h"

namespace verbena::simnic {
namespace {

constexpr std::uint32_t kLine = kCacheLineBytes;
constexpr std::uint32_t kMostLines = 1024;

/// How long after one cache line of `packet` another is accessed, so that all come before `jitter`
/// has passed.
Picoseconds until_next_line(const Packet& packet, Picoseconds jitter, SplitMix& random) {
  const auto most =
      static_cast<std::uint32_t>((jitter / (std::max<std::uint32_t>(packet.lines, 1) + 1)).count());
  return Picoseconds(random.below(most + 1));
}

}  // namespace

bool Responder::split_effect(Packet& packet) {
  SplitMix& random = packet.message.to->random;
  Region& region = *packet.message.to->find_region(packet.message.key);
  packet.lines_done = 0;
  packet.first_line = 0;
  const LineOrder order = kOperations[packet.message.operation].line_order;
  if (order == LineOrder::kReadThenWrite) {
    // The read now, the write later: a CPU's access may come between.
    const std::byte* word = region_memory(region, packet.message.remote_address);
    std::memcpy(&packet.found, word, 8);
    note_access(word);
    packet.lines = next_word(packet.message, packet.found) ? 1 : 0;
  } else {
    const std::uint64_t offset = region.offset_of(packet.message.remote_address);
    const std::uint64_t lines = (offset + packet.message.bytes - 1) / kLine - offset / kLine + 1;
    if (lines == 1 || order == LineOrder::kAtOnce) return false;
    packet.lines = static_cast<std::uint16_t>(std::min<std::uint64_t>(lines, kMostLines));
    if (order == LineOrder::kFromAnywhere) {
      packet.first_line = static_cast<std::uint16_t>(random.below(packet.lines));
    }
  }
  if (fabric_.chaos_meet != 0) {
    // Before what comes next on the queue pair, or in the atomics' slot.
    const Picoseconds last = std::max(fabric_.chaos_jitter, Picoseconds(1)) - Picoseconds(1);
    time_.meetings().waiting(packet) = {.end = now() + last, .appointment = {}};
  }
  schedule_line(packet, region);
  return true;
}

void Responder::schedule_line(Packet& packet, const Region& region) {
  SplitMix& random = packet.message.to->random;
  Picoseconds time = now() + until_next_line(packet, fabric_.chaos_jitter, random);
  if (fabric_.chaos_meet != 0) {
    Meetings::Waiting& waiting = time_.meetings().waiting(packet);
    time = std::min(time, waiting.end);
    // A core tells where a record begins, so of a request that is what counts, too.
    if (random.chance(fabric_.chaos_meet)) {
      waiting.appointment =
          time_.meetings().draw(region_memory(region, packet.message.remote_address), random);
    }
  }
  schedule(time, EventKind::kMemoryLine, packet);
}

void Responder::note_access(const std::byte* at) {
  if (fabric_.chaos_meet != 0) time_.meetings().note_access(at);
}

bool Responder::waits_for_others(Packet& packet) {
  Meetings::Waiting& waiting = time_.meetings().waiting(packet);
  if (now() >= waiting.end || time_.meetings().kept(waiting.appointment)) {
    waiting.appointment = {};
    return false;
  }
  const Picoseconds look = Meetings::draw_look(packet.message.to->random);
  schedule(std::min(now() + look, waiting.end), EventKind::kMemoryLine, packet);
  return true;
}

void Responder::memory_line(Packet& packet) {
  if (fabric_.chaos_meet != 0 && waits_for_others(packet)) return;
  QueuePair* peer = responder_of(packet);
  Region* region = packet.message.to->find_region(packet.message.key);
  if (peer == nullptr) return peer_vanished(packet);
  if (region == nullptr) return memory_effect(packet);
  if (kOperations[packet.message.operation].line_order == LineOrder::kReadThenWrite) {
    if (const auto next = next_word(packet.message, packet.found)) {
      std::byte* word = region_memory(*region, packet.message.remote_address);
      std::memcpy(word, &*next, 8);
      note_access(word);
    }
    return finish_effect(packet, *peer);
  }
  const std::uint64_t start = region->offset_of(packet.message.remote_address);
  const std::uint64_t end = start + packet.message.bytes;
  const std::uint64_t line = (packet.first_line + packet.lines_done) % packet.lines;
  // A very long request is accessed in as many pieces of several lines.
  const std::uint64_t all = (end - 1) / kLine - start / kLine + 1;
  const std::uint64_t per_piece = (all + packet.lines - 1) / packet.lines * kLine;
  const std::uint64_t from = std::max(start, start / kLine * kLine + line * per_piece);
  const std::uint64_t to = std::min(end, start / kLine * kLine + (line + 1) * per_piece);
  const bool read = packet.message.traits.effect == Effect::kRead;
  if (read && packet.payload == nullptr) {
    packets_.make_payload(packet);
  }
  if (from < to) {
    const std::uint64_t address = packet.message.remote_address + (from - start);
    std::byte* piece = packet.payload + (from - start);
    if (read) {
      copy_from_region(*region, address, to - from, piece);
    } else {
      copy_to_region(*region, address, to - from, piece);
      if (region->watcher != nullptr) wake_watcher(packet, *region);
    }
    note_access(region_memory(*region, packet.message.remote_address));
  }
  if (++packet.lines_done == packet.lines) return finish_effect(packet, *peer);
  schedule_line(packet, *region);
}

}  // namespace verbena::simnic
