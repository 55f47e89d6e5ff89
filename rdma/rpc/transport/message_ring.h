// A ring of messages in memory that one side writes and the other reads: places of messages,
// completeness, and free lines.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/cache_line.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/rpc/transport/rpc_message.h"

namespace verbena::rdma {

/// Messages follow one another, each from the beginning of a cache line, in as many lines as it
/// needs. A message that begins within the ring's `lines` may run over its end into spare lines;
/// the next one begins at the ring's beginning again. So a message is one range of memory, and is
/// written by one WRITE.
///
/// A message is a header, whose envelope holds the bytes of header and payload; the payload; and
/// one byte kEnd. Lines without a message are zero, since the reader clears what it has read. So a
/// message has begun when its header's first word is not zero, and is whole when kEnd is there, if
/// memory is written upwards. Verbs promise neither that order for an RDMA WRITE, nor that cache
/// lines are written as a whole. NICs and PCIe, which keeps the order of posted writes, do so in
/// fact, and FaRM (NSDI'14) builds upon it, too. It does not hold where packets of one WRITE may
/// overtake each other (adaptive routing with out-of-order placement), for memory registered with
/// relaxed ordering, and for devices in software, which copy as the kernel likes.
struct RingShape {
  static constexpr std::byte kEnd{1};

  /// Derives the shape from options: twice as many lines as there can be messages on their way from
  /// one worker to another (requests, replies, notifications), so that only long ones may have to
  /// wait for each other; at least the lines of two of the longest.
  explicit RingShape(const RpcOptions& options);
  /// Makes a ring of `line_count` lines for messages of up to `most_bytes`; at least twice the
  /// lines of such a message.
  RingShape(std::uint32_t line_count, std::uint32_t most_bytes);

  /// Number of lines of a message of `bytes`.
  static std::uint32_t lines_of(std::size_t bytes) {
    return static_cast<std::uint32_t>(cache_lines(bytes + sizeof kEnd));
  }

  std::size_t bytes() const { return std::size_t{lines + most_lines - 1} * kCacheLineBytes; }

  std::uint32_t lines;       ///< of the ring, without the spare ones
  std::uint32_t most_lines;  ///< of the longest message
};

/// The writing side. It knows, perhaps late, how many lines the reader has cleared, and never has
/// more lines written and not cleared than the ring has. Hence it overwrites no unread message: let
/// the last uncleared message end at line e. The oldest uncleared one begins either before e in the
/// same round, or at a line b in the round before. Then at least all lines from b to the ring's
/// end, and from its beginning to e, are not cleared. So at most b - e lines are free, and the next
/// message ends at b or before.
class RingWriter {
 public:
  explicit RingWriter(const RingShape& shape) : lines_(shape.lines) {}

  bool has_room(std::uint32_t lines) const { return written_ - cleared_ + lines <= lines_; }

  /// Takes `lines`, for which there must be room. Returns the first.
  std::uint32_t take(std::uint32_t lines);

  /// Learns how many lines the reader has cleared since the beginning. Throws Malformed when that
  /// is less than before, or more than were written.
  void cleared(std::uint64_t lines);

 private:
  std::uint32_t lines_;
  std::uint32_t next_ = 0;  // line
  std::uint64_t written_ = 0;
  std::uint64_t cleared_ = 0;  // as far as known
};

/// The reading side. It tells the writer how many lines it has cleared each time that it has
/// cleared half of the ring. So a writer that waits for room will be told: more than half of the
/// ring is written and not known to be cleared, since a message takes at most half, and the reader,
/// which never waits, will read all of it.
class RingReader {
 public:
  RingReader(const RingShape& shape, std::byte* memory)
      : memory_(memory), lines_(shape.lines), most_lines_(shape.most_lines) {}

  /// Returns the next message if it is whole, else null; it stays until clear(). Throws Malformed
  /// for one that is too long.
  const MessageHeader* next();

  /// Frees the lines of all messages that next() returned. Returns the number of lines.
  std::uint32_t clear();

  /// Number of lines cleared since the beginning.
  std::uint64_t cleared() const { return cleared_; }

  bool must_tell() const { return cleared_ - told_ >= lines_ / 2; }
  void told() { told_ = cleared_; }

 private:
  [[noreturn]] void refuse(std::uint32_t bytes) const;
  std::byte* line(std::uint32_t number) const {
    return memory_ + std::size_t{number} * kCacheLineBytes;
  }
  std::uint32_t after(std::uint32_t first, std::uint32_t count) const {
    return first + count >= lines_ ? 0 : first + count;
  }

  std::byte* memory_;
  std::uint32_t lines_;
  std::uint32_t most_lines_;
  std::uint32_t next_ = 0;   // line of the next message
  std::uint32_t first_ = 0;  // line of the first message that was read and not cleared
  std::uint32_t read_ = 0;   // messages from there on
  std::uint64_t cleared_ = 0;
  std::uint64_t told_ = 0;
};

}  // namespace verbena::rdma
