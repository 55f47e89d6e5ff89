// Reading and writing structs one after the other in a message.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "rdma/base/bounded_reader.h"

namespace verbena {

/// Fills a message from its beginning. The caller ensures that everything fits.
class MessageWriter {
 public:
  explicit MessageWriter(std::span<std::byte> message) : at_(message.data()) {}

  template <typename T>
  void put(const T& value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

  /// Appends `from`, then zeros up to a multiple of 8 B.
  void put_padded(std::span<const std::byte> from) {
    const std::size_t padded = (from.size() + 7) / 8 * 8;
    std::memcpy(at_, from.data(), from.size());
    std::memset(at_ + from.size(), 0, padded - from.size());
    at_ += padded;
  }

  /// Appends `bytes` zeros, and returns them for the caller to fill in.
  std::span<std::byte> skip(std::size_t bytes) {
    std::byte* const begin = at_;
    std::memset(begin, 0, bytes);
    at_ += bytes;
    return {begin, bytes};
  }

 private:
  std::byte* at_;
};

/// Parses a message from its beginning.
using MessageReader = BoundedReader;

/// Returns the struct that is the whole reply of a call (RpcBatch::take).
template <typename T, typename Calls>
T take_reply(const Calls& calls, std::size_t call) {
  return calls.take(call, [](std::span<const std::byte> bytes) {
    MessageReader reply(bytes);
    const T taken = reply.take<T>();
    reply.expect_end();
    return taken;
  });
}

}  // namespace verbena
