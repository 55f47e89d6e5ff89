// A ring of messages in memory that one side writes and the other reads: where each message lies,
// when it is whole, and which lines are free.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rdma/base/cache_line.h"
#include "rdma/device/endpoint_options.h"
#include "rdma/rpc/transport/rpc_message.h"

namespace verbena::rdma {

/// Messages follow one another, each from the beginning of a cache line, in as many lines as it
/// needs. The one that begins within the last line that counts may run over the ring's end into
/// lines kept for that; the next begins at the ring's beginning again. So a message is one range of
/// memory, and writing it one WRITE.
///
/// A message is a header, whose envelope holds the bytes of header and payload, the payload, and
/// one byte kEnd. Lines that hold no message are zero: the reader clears what it has read. So the
/// header's first word is not zero once it is there, and kEnd is there only when all before it is,
/// if memory is written upwards. For an RDMA WRITE verbs do not promise that, nor that cache lines
/// are written as a whole; NICs and PCIe, which keeps the order of posted writes, do so in fact,
/// which FaRM (NSDI'14) builds upon, too. It does not hold where packets of one WRITE may overtake
/// each other (adaptive routing with out-of-order placement), for memory registered with relaxed
/// ordering, and for devices that are software, whose copies go as the kernel likes.
struct RingShape {
  static constexpr std::byte kEnd{1};

  /// As options want it: twice as many lines as messages can be on their way from one worker to
  /// another (requests, replies, notifications), so that only long ones may have to wait for each
  /// other, and at least two of the longest.
  explicit RingShape(const RpcOptions& options);
  /// `line_count` for messages of up to `most_bytes`; at least twice what such a message takes.
  RingShape(std::uint32_t line_count, std::uint32_t most_bytes);

  /// Lines of a message of `bytes`.
  static std::uint32_t lines_of(std::size_t bytes) {
    return static_cast<std::uint32_t>(cache_lines(bytes + sizeof kEnd));
  }

  std::size_t bytes() const { return std::size_t{lines + most_lines - 1} * kCacheLineBytes; }

  std::uint32_t lines;       ///< that count
  std::uint32_t most_lines;  ///< of a message
};

/// The side that writes. It knows, perhaps late, how many lines the reader has cleared, and never
/// has more written and not cleared than the ring has lines. Hence no message is overwritten before
/// it was read: let the last message that is not cleared end at line e of the ring. The oldest one
/// begins either before e in the same round, or in the round before at a line b; then all from b to
/// the ring's end, at least, and all from its beginning to e are not cleared, so at most b - e
/// lines are free, and the next message ends at b or before.
class RingWriter {
 public:
  explicit RingWriter(const RingShape& shape) : lines_(shape.lines) {}

  bool has_room(std::uint32_t lines) const { return written_ - cleared_ + lines <= lines_; }

  /// Takes `lines`, for which there is room. Returns the first.
  std::uint32_t take(std::uint32_t lines);

  /// The reader has cleared so many lines since the beginning; at least as many as it had before,
  /// and no more than were written: throws Malformed otherwise.
  void cleared(std::uint64_t lines);

 private:
  std::uint32_t lines_;
  std::uint32_t next_ = 0;  // line
  std::uint64_t written_ = 0;
  std::uint64_t cleared_ = 0;  // as far as known
};

/// The side that reads. It tells the writer how many lines it has cleared when half of the ring has
/// been since it last did. So a writer that waits for room is told: of what it has written more
/// than half is not known to be cleared, since a message takes at most half, and all of it will be
/// read, because the reader never waits for anything.
class RingReader {
 public:
  RingReader(const RingShape& shape, std::byte* memory)
      : memory_(memory), lines_(shape.lines), most_lines_(shape.most_lines) {}

  /// The next message, if all of it is there; it stays until clear(). Else null. Throws Malformed
  /// for one that is longer than any.
  const MessageHeader* next();

  /// Frees the lines of all messages that next() returned, and tells how many.
  std::uint32_t clear();

  /// How many lines have been cleared since the beginning.
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
