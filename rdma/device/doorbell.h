// Doorbells: the writes that tell the NIC of new requests.
#pragma once

#include <cstdint>

namespace verbena::rdma {

/// Number of doorbells for requests that are posted together (DrTM+H paper, section 3.2, doorbell
/// batching).
enum class Doorbell : std::uint8_t {
  kEach,     ///< one post, hence one doorbell, per request
  kBatched,  ///< one chain, hence one doorbell, per queue pair
};

}  // namespace verbena::rdma
