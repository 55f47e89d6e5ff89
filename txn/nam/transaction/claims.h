// Claims of entries for keys that have none, and re-insertion of erased records.
#pragma once

#include <cstdint>
#include <vector>

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/index/extents.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {

/// Claims entries by RPC for keys without one; the records are locked and were never there. Belongs
/// to the transaction's fiber.
class Claims {
 public:
  /// `extents`: the worker's; null: servers choose entries.
  Claims(Attempt& attempt, AccessSet& accesses, Extents* extents)
      : attempt_(attempt), accesses_(accesses), extents_(extents) {}

  /// Forgets all claims.
  void clear() { claimed_.clear(); }
  /// Adds a record to claim.
  void add(Access& access) { claimed_.push_back(&access); }
  bool empty() const { return claimed_.empty(); }
  /// Posts the added claims. Waits if the worker needs entries.
  void send();
  /// Waits for the claims, and dooms the attempt if another has claimed one of the keys.
  void receive();

  /// Makes scans list the keys of erased records again that are about to be re-inserted, and waits.
  /// To be called before anything is installed: scans of later snapshots must find these keys.
  void set_back_erased();

 private:
  bool allot(Access& access);
  void allot_entries();
  void take(Access& access, const Claim& claim);
  /// True if the record is erased and scans skip its key.
  bool to_set_back(const Access& access) const;

  Attempt& attempt_;
  AccessSet& accesses_;
  Extents* const extents_;
  std::vector<Access*> claimed_;  // in the order of their servers after send()
  std::vector<Access*> erased_;   // likewise
};

}  // namespace verbena::txn::nam
