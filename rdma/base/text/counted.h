// Counts of things in messages.
#pragma once

#include <cstdint>
#include <string>

namespace verbena {

/// Returns "1 node", "2 nodes", "0 copies": the plural is `many`, or `one` with an s without it.
inline std::string counted(std::uint64_t count, const std::string& one,
                           const std::string& many = "") {
  const std::string plural = many.empty() ? one + "s" : many;
  return std::to_string(count) + " " + (count == 1 ? one : plural);
}

}  // namespace verbena
