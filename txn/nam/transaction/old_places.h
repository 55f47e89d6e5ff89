// Places for the versions that an attempt will replace.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/time.h"
#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"

namespace verbena::txn::nam {

/// Where older versions are kept (Overflow), what stands in a place is overwritten when it has been
/// moved. Nobody but who has locked the record uses its places. Belongs to the transaction's fiber.
class OldPlaces {
 public:
  OldPlaces(Attempt& attempt, AccessSet& accesses) : attempt_(attempt), accesses_(accesses) {}

  /// Has servers move, by RPC, what is in places that the attempt needs, and waits. False: it is
  /// doomed, for want of room in overflow.
  bool make_room();

  /// Adds a WRITE that tells the memory server of a record which will need a place soon (Mover), so
  /// that who replaces the new version need not wait. It comes behind what it tells of.
  void hint(const Access& access);

  /// The transaction is not tried again.
  void transaction_over() { full_since_ = kNever; }

  /// Records whose places the attempt waits for, or has waited for.
  const std::vector<Access*>& blocked() const { return blocked_; }

 private:
  bool blocked(const Access& access, std::uint32_t installs) const;
  bool waits_too_long() const;
  void move_old_versions();
  std::size_t call_for_moves();

  Attempt& attempt_;
  AccessSet& accesses_;
  std::uint32_t hints_ = 0;          // that were given so far
  std::vector<Access*> blocked_;     // in the order of their servers
  Nanoseconds full_since_ = kNever;  // when this transaction first found no room in overflow
};

}  // namespace verbena::txn::nam
