// Choices of users and roles of nodes that decide where records lie.
#pragma once

#include <cstdint>

namespace verbena::txn::nam {

/// Owners of the slots of the vector of commits.
enum class Oracle : std::uint8_t {
  kVector,      ///< fibers of compute servers
  kCompressed,  ///< compute servers
  kCounter,     ///< none but one: there is a counter for all
};

/// Which nodes do what, of which the layout is made.
struct Shape {
  std::uint32_t clients = 1;   ///< workers of a compute node
  std::uint32_t versions = 3;  ///< old ones that are kept of each record, K
  Oracle oracle = Oracle::kVector;
  std::uint32_t oracles = 1;                 ///< servers with a part of the vector each
  bool oracle_on_memory = false;             ///< these are the first memory servers
  std::uint32_t bucket_slots_percent = 150;  ///< slots of buckets for records that may be inserted
  std::uint32_t first_buckets = 0;           ///< of hash tables that grow; 0: they do not
  std::uint32_t overflow_kib = 0;  ///< of each memory server, for older versions; 0: none are kept
};

}  // namespace verbena::txn::nam
