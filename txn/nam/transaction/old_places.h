// Places for the versions that an attempt will replace.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/time.h"
#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"

namespace verbena::txn::nam {

/// Makes room for old versions where overflow is kept (Overflow): a place is overwritten only after
/// its version was moved. Only the holder of a record's lock uses its places. Belongs to the
/// transaction's fiber.
class OldPlaces {
 public:
  OldPlaces(Attempt& attempt, AccessSet& accesses) : attempt_(attempt), accesses_(accesses) {}

  /// Makes servers move, by RPC, the versions in places that the attempt needs, and waits. Returns
  /// false if overflow has no room; the attempt is then doomed.
  bool make_room();

  /// Adds a WRITE of a hint for the record's memory server (Mover) if the record will soon need a
  /// place, so that its next writer need not wait. The WRITE comes behind that of the new version.
  void hint(const Access& access);

  /// Notes that the transaction will not be tried again.
  void transaction_over() { full_since_ = kNever; }

  /// Records whose places the attempt waits for or has waited for.
  const std::vector<Access*>& blocked() const { return blocked_; }

 private:
  bool blocked(const Access& access, std::uint32_t installs) const;
  bool waits_too_long() const;
  void move_old_versions();
  std::size_t call_for_moves();

  Attempt& attempt_;
  AccessSet& accesses_;
  std::uint32_t hints_ = 0;          // given so far
  std::vector<Access*> blocked_;     // in the order of their servers
  Nanoseconds full_since_ = kNever;  // when this transaction first found overflow full
};

}  // namespace verbena::txn::nam
