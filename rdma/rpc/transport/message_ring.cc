// A ring of messages in memory that one side writes and the other reads.
#include "rdma/rpc/transport/message_ring.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

std::uint32_t lines_for(const RpcOptions& options) {
  const std::uint32_t messages = 2 * options.slots_per_peer + options.notify_window;
  return 2 * std::max(messages, RingShape::lines_of(options.max_message_bytes));
}

}  // namespace

RingShape::RingShape(const RpcOptions& options)
    : RingShape(lines_for(options), options.max_message_bytes) {}

RingShape::RingShape(std::uint32_t line_count, std::uint32_t most_bytes)
    : lines(line_count), most_lines(lines_of(most_bytes)) {
  assert(lines >= 2 * most_lines);
}

std::uint32_t RingWriter::take(std::uint32_t lines) {
  assert(has_room(lines));
  const std::uint32_t first = next_;
  next_ = first + lines >= lines_ ? 0 : first + lines;
  written_ += lines;
  return first;
}

void RingWriter::cleared(std::uint64_t lines) {
  if (lines < cleared_ || lines > written_) [[unlikely]] {
    throw Malformed("tells that " + std::to_string(lines) + " lines are read; allowed are " +
                    std::to_string(cleared_) + " to " + std::to_string(written_));
  }
  cleared_ = lines;
}

const MessageHeader* RingReader::next() {
  if (read_ > 0 && next_ == first_) return nullptr;  // the ring is full of what was read
  auto* word = reinterpret_cast<std::uint64_t*>(line(next_));
  if (std::atomic_ref(*word).load(std::memory_order_acquire) == 0) return nullptr;
  const auto* header = reinterpret_cast<const MessageHeader*>(line(next_));
  const std::uint32_t bytes = header->envelope;
  const std::uint32_t lines = RingShape::lines_of(bytes);
  if (bytes < sizeof(MessageHeader)) return nullptr;  // half of the word is there
  if (lines > most_lines_) [[unlikely]]
    refuse(bytes);
  auto* end = reinterpret_cast<unsigned char*>(line(next_) + bytes);
  if (std::atomic_ref(*end).load(std::memory_order_acquire) == 0) return nullptr;
  next_ = after(next_, lines);
  ++read_;
  return header;
}

void RingReader::refuse(std::uint32_t bytes) const {
  throw Malformed(
      "has a message of " + std::to_string(bytes) + " B; allowed are up to " +
      std::to_string(std::size_t{most_lines_} * kCacheLineBytes - sizeof RingShape::kEnd));
}

std::uint32_t RingReader::clear() {
  std::uint32_t all = 0;
  for (; read_ > 0; --read_) {
    const auto* header = reinterpret_cast<const MessageHeader*>(line(first_));
    const std::uint32_t lines = RingShape::lines_of(header->envelope);
    std::memset(line(first_), 0, std::size_t{lines} * kCacheLineBytes);
    first_ = after(first_, lines);
    all += lines;
  }
  cleared_ += all;
  return all;
}

}  // namespace verbena::rdma
