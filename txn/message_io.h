// Reading and writing structs one after the other in a message.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

namespace verbena::txn {

/// Fills a message from its beginning. The caller knows that all fits.
class MessageWriter {
 public:
  explicit MessageWriter(std::span<std::byte> message) : at_(message.data()) {}

  template <typename T>
  void put(const T& value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }

  /// `from`, then zeros up to a multiple of 8 B.
  void put_padded(std::span<const std::byte> from) {
    const std::size_t padded = (from.size() + 7) / 8 * 8;
    std::memcpy(at_, from.data(), from.size());
    std::memset(at_ + from.size(), 0, padded - from.size());
    at_ += padded;
  }

 private:
  std::byte* at_;
};

/// Takes a message apart from its beginning.
class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> message) : rest_(message) {}

  template <typename T>
  T take() {
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  std::span<const std::byte> take_bytes(std::size_t bytes) {
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  std::span<const std::byte> rest() const { return rest_; }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace verbena::txn
