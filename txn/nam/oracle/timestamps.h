// How a fiber's commits get their timestamps, and come to be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "txn/nam/records/version.h"
#include "txn/stamp.h"

namespace verbena::txn::nam {

/// One fiber's part in one of the designs of the oracle. Belongs to the fiber.
class Timestamps {
 public:
  Timestamps() = default;
  Timestamps(const Timestamps&) = delete;
  Timestamps& operator=(const Timestamps&) = delete;
  virtual ~Timestamps() = default;

  /// Before an attempt locks what it writes: its timestamp, where it is to be had so early. Waits.
  virtual std::optional<Stamp> take_before_locks() { return std::nullopt; }

  /// When it has locked that, so that it will commit: its timestamp.
  virtual Stamp take() = 0;

  /// All that it wrote has been installed. Snapshots hold the commit from now on, or soon.
  virtual void publish(const Stamp& stamp) = 0;

  /// Instead of publish, by one that had its timestamp before its locks, and did not get these.
  virtual void give_up(const Stamp& /*stamp*/) {}
};

/// The count after `count` of a slot. Versions have 32 bits for it: throws std::runtime_error
/// rather than begin again.
inline std::uint32_t next_count(std::uint64_t count, std::uint32_t slot) {
  if (count >= kMostCount) {
    throw std::runtime_error("slot " + std::to_string(slot) + " of the vector of commits: " +
                             std::to_string(count) + " commits; no version can count more");
  }
  return static_cast<std::uint32_t>(count + 1);
}

}  // namespace verbena::txn::nam
