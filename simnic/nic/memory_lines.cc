// Chaos: the cache lines of one request, which are accessed at different times.
#include <algorithm>
#include <cstring>

#include "rdma/base/cache_line.h"
#include "simnic/nic/cluster.h"
#include "simnic/nic/memory.h"

namespace verbena::simnic {
namespace {

constexpr std::uint32_t kLine = kCacheLineBytes;
constexpr std::uint32_t kMostLines = 1024;

/// How long after one cache line of `request` another is accessed, when `jitter` is the span of
/// all.
Picoseconds until_next_line(const Request& request, Picoseconds jitter, SplitMix& random) {
  const auto most = static_cast<std::uint32_t>((jitter / (request.lines + 1)).count());
  return Picoseconds(random.below(most + 1));
}

}  // namespace

bool Cluster::split_effect(Request& request) {
  SplitMix& random = request.to->random;
  Region& region = *request.to->find_region(request.remote_key);
  request.lines_done = 0;
  request.first_line = 0;
  const LineOrder order = kOperations[request.operation].line_order;
  if (order == LineOrder::kReadThenWrite) {
    // The read now, the write later: a CPU's access may come between.
    const std::byte* word = region_memory(region, request.remote_address);
    std::memcpy(&request.found, word, 8);
    note_access(word);
    request.lines = next_word(request, request.found) ? 1 : 0;
  } else {
    const std::uint64_t offset = region.offset_of(request.remote_address);
    const std::uint64_t lines = (offset + request.bytes - 1) / kLine - offset / kLine + 1;
    if (lines == 1 || order == LineOrder::kAtOnce) return false;
    request.lines = static_cast<std::uint16_t>(std::min<std::uint64_t>(lines, kMostLines));
    if (order == LineOrder::kFromAnywhere) {
      request.first_line = static_cast<std::uint16_t>(random.below(request.lines));
    }
  }
  if (fabric_.chaos_meet != 0) {
    // Before what comes next on the queue pair, or in the atomics' slot.
    const Picoseconds last = std::max(fabric_.chaos_jitter, Picoseconds(1)) - Picoseconds(1);
    time_.meetings().waiting(request) = {.end = now() + last, .appointment = {}};
  }
  schedule_line(request, region);
  return true;
}

void Cluster::schedule_line(Request& request, const Region& region) {
  SplitMix& random = request.to->random;
  Picoseconds time = now() + until_next_line(request, fabric_.chaos_jitter, random);
  if (fabric_.chaos_meet != 0) {
    Meetings::Waiting& waiting = time_.meetings().waiting(request);
    time = std::min(time, waiting.end);
    // A core tells where a record begins, so of a request that is what counts, too.
    if (random.chance(fabric_.chaos_meet)) {
      waiting.appointment =
          time_.meetings().draw(region_memory(region, request.remote_address), random);
    }
  }
  schedule(time, EventKind::kMemoryLine, request);
}

void Cluster::note_access(const std::byte* at) {
  if (fabric_.chaos_meet != 0) time_.meetings().note_access(at);
}

bool Cluster::waits_for_others(Request& request) {
  Meetings::Waiting& waiting = time_.meetings().waiting(request);
  if (now() >= waiting.end || time_.meetings().kept(waiting.appointment)) {
    waiting.appointment = {};
    return false;
  }
  const Picoseconds look = Meetings::draw_look(request.to->random);
  schedule(std::min(now() + look, waiting.end), EventKind::kMemoryLine, request);
  return true;
}

void Cluster::memory_line(Request& request) {
  if (fabric_.chaos_meet != 0 && waits_for_others(request)) return;
  QueuePair* peer = responder_of(request);
  Region* region = request.to->find_region(request.remote_key);
  if (peer == nullptr) return peer_vanished(request);
  if (region == nullptr) return memory_effect(request);
  if (kOperations[request.operation].line_order == LineOrder::kReadThenWrite) {
    if (const auto next = next_word(request, request.found)) {
      std::byte* word = region_memory(*region, request.remote_address);
      std::memcpy(word, &*next, 8);
      note_access(word);
    }
    return finish_effect(request, *peer);
  }
  const std::uint64_t start = region->offset_of(request.remote_address);
  const std::uint64_t end = start + request.bytes;
  const std::uint64_t line = (request.first_line + request.lines_done) % request.lines;
  // A very long request is accessed in as many pieces of several lines.
  const std::uint64_t all = (end - 1) / kLine - start / kLine + 1;
  const std::uint64_t per_piece = (all + request.lines - 1) / request.lines * kLine;
  const std::uint64_t from = std::max(start, start / kLine * kLine + line * per_piece);
  const std::uint64_t to = std::min(end, start / kLine * kLine + (line + 1) * per_piece);
  const bool read = request.traits.effect == Effect::kRead;
  if (read && request.payload == nullptr) {
    requests_.make_payload(request);
  }
  if (from < to) {
    const std::uint64_t address = request.remote_address + (from - start);
    std::byte* piece = request.payload + (from - start);
    if (read) {
      copy_from_region(*region, address, to - from, piece);
    } else {
      copy_to_region(*region, address, to - from, piece);
      if (region->watcher != nullptr) wake_watcher(request, *region);
    }
    note_access(region_memory(*region, request.remote_address));
  }
  if (++request.lines_done == request.lines) return finish_effect(request, *peer);
  schedule_line(request, *region);
}

}  // namespace verbena::simnic
