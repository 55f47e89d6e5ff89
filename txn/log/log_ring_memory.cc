// Piece by piece.
#include "txn/log/log_ring_memory.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "txn/log/log_record.h"

namespace verbena::txn {

void LogRingMemory::write(std::uint64_t place, std::span<const std::byte> from) const {
  assert(place + from.size() <= bytes_);
  while (!from.empty()) {
    const std::span<std::byte> piece = region_.piece(begin_ + place, from.size());
    std::memcpy(piece.data(), from.data(), piece.size());
    place += piece.size();
    from = from.subspan(piece.size());
  }
}

std::span<const std::byte> LogRingMemory::read(std::uint64_t place, std::uint64_t bytes,
                                               std::vector<std::byte>& copy) const {
  assert(place + bytes <= bytes_);
  std::span<const std::byte> piece = region_.piece(begin_ + place, bytes);
  if (piece.size() == bytes) return piece;
  copy.resize(bytes);
  for (std::uint64_t done = 0;;) {
    std::memcpy(copy.data() + done, piece.data(), piece.size());
    done += piece.size();
    if (done == bytes) return copy;
    piece = region_.piece(begin_ + place + done, bytes - done);
  }
}

std::span<const std::byte> LogRingMemory::read_record(std::uint64_t place,
                                                      std::vector<std::byte>& copy) const {
  const std::uint64_t rest = bytes_ - place;
  if (rest < kLogWordBytes) return read(place, rest, copy);
  const std::uint64_t bytes = log_bytes_to_read(read(place, kLogWordBytes, copy).data());
  return read(place, std::clamp(bytes, kLogWordBytes, rest), copy);
}

}  // namespace verbena::txn
