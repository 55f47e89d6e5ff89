// Choices of users and roles of nodes that decide where records lie.
#pragma once

#include <cstdint>

namespace verbena::txn::nam {

/// Owners of the slots of the vector of commits.
enum class Oracle : std::uint8_t {
  kVector,      ///< fibers of compute servers
  kCompressed,  ///< compute servers
  kCounter,     ///< one slot for all: there is a counter
};

/// Roles and counts from which the layout is made.
struct Shape {
  std::uint32_t clients = 1;   ///< workers of each compute server
  std::uint32_t versions = 3;  ///< K: old versions kept of each record
  Oracle oracle = Oracle::kVector;
  std::uint32_t oracles = 1;                 ///< servers that each hold a part of the vector
  bool oracle_on_memory = false;             ///< true: on the first memory servers
  std::uint32_t bucket_slots_percent = 150;  ///< bucket slots per record that may be inserted
  std::uint32_t first_buckets = 0;           ///< of hash tables that grow; 0: none grow
  std::uint32_t overflow_kib = 0;            ///< of each memory server, for older versions; 0: none
};

}  // namespace verbena::txn::nam
