// Timestamps of a fiber's commits, and their publication.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "txn/nam/records/version.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// Takes timestamps for one fiber in one design of the oracle. Belongs to the fiber.
class Timestamps {
 public:
  Timestamps() = default;
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;
  virtual ~Timestamps() = default;

  /// Takes a timestamp before an attempt locks what it writes, in designs that have it so early.
  /// Waits.
  virtual std::optional<Stamp> take_before_locks() { return std::nullopt; }

  /// Takes the timestamp of an attempt that has locked all that it writes, and so will commit.
  virtual Stamp take() = 0;

  /// Publishes a commit whose writes are all installed. Snapshots hold it from now on, or soon.
  virtual void publish(const Stamp& stamp) = 0;

  /// Finishes a timestamp taken before locks, instead of publish(), if the locks were not had.
  virtual void give_up(const Stamp& /*stamp*/) {}
};

/// Returns the count that follows `count` in a slot. Throws std::runtime_error instead of wrapping
/// around: versions have 32 bits for it.
inline std::uint32_t next_count(std::uint64_t count, std::uint32_t slot) {
  if (count >= kMostCount) {
    throw std::runtime_error("slot " + std::to_string(slot) + " of the vector of commits: " +
                             std::to_string(count) + " commits; no version can count more");
  }
  return static_cast<std::uint32_t>(count + 1);
}

}  // namespace verbena::txn::nam
