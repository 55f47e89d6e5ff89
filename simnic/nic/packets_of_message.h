// Messages of several packets, on which stations work at the same time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "rdma/base/time.h"

namespace verbena::simnic {

/// Data of a message, and how much of it a packet carries at most.
struct MessageSize {
  std::int64_t bytes;
  std::int64_t mtu;

  std::int64_t packets() const { return bytes <= mtu ? 1 : (bytes + mtu - 1) / mtu; }
};

/// Lets a message pass a station that works on all of it for `all`. While the station has one
/// packet the next station has the one before, so the last packet only waits where this station is
/// slower than all before it. Returns the time that it adds to the last packet's way, and raises
/// `spread`, the time between the first packet and the last.
inline Picoseconds pass_packets(Picoseconds all, MessageSize size, Picoseconds& spread) {
  if (size.bytes <= size.mtu) [[likely]]
    return all;
  const Picoseconds first = all * size.mtu / size.bytes;
  const Picoseconds slower = std::max(all - first - spread, Picoseconds(0));
  spread += slower;
  return first + slower;
}

}  // namespace verbena::simnic
