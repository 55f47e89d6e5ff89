// Wire format of one-sided requests in messages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace verbena::rdma {

/// Begins a call that carries out the requests that follow it. The reply is a RequestStatus, then
/// the values that the requests have read or found, in order, padded to whole words.
struct RequestMessageHeader {
  std::uint32_t behind;   ///< number of this worker's passive messages to be carried out before it
  std::uint32_t passive;  ///< 1: it is a passive message itself
};
static_assert(sizeof(RequestMessageHeader) == 8);

enum class RequestStatus : std::uint64_t {
  kDone = 0,
  kOvertook = 1,  ///< nothing was done, since a passive message before it has not come yet
};

enum class RequestOpcode : std::uint8_t {
  kRead = 0,
  kWrite = 1,  ///< its bytes follow its header, padded to whole words
  kCompareAndSwap = 2,
  kFetchAndAdd = 3,
};

/// A request, or the part of a longer one that a message holds.
struct RequestHeader {
  std::uint64_t offset;
  std::uint32_t length;
  std::uint16_t region;
  std::uint8_t opcode;
  std::uint8_t unused;
};
static_assert(sizeof(RequestHeader) == 16);

/// Follows the header of an atomic.
struct AtomicOperands {
  std::uint64_t compare_add;
  std::uint64_t swap;
};

constexpr std::size_t whole_words(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

/// The least payload of messages in which each part of a request ends with a cache line.
inline constexpr std::size_t kLeastRequestPayload =
    sizeof(RequestMessageHeader) + sizeof(RequestHeader) + 64;

}  // namespace verbena::rdma
