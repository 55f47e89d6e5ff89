// How requests reach the NIC.
#pragma once

#include <cstdint>

namespace verbena::rdma {

/// How requests reach the NIC (DrTM+H paper, section 3.2, doorbell batching).
enum class Doorbell : std::uint8_t {
  kEach,     ///< one post, hence one doorbell, per request
  kBatched,  ///< one chain, hence one doorbell, per queue pair
};

}  // namespace verbena::rdma
