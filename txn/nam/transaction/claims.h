// Entries for keys that have none, and erased records that come back.
#pragma once

#include <cstdint>
#include <vector>

#include "txn/nam/attempt/access_set.h"
#include "txn/nam/attempt/attempt.h"
#include "txn/nam/index/extents.h"
#include "txn/nam/messages.h"

namespace verbena::txn::nam {

/// Keys that are in no entry are claimed by RPC, as locked records that were never there. Belongs
/// to the transaction's fiber.
class Claims {
 public:
  /// `extents`, the worker's, may be null: servers choose entries.
  Claims(Attempt& attempt, AccessSet& accesses, Extents* extents)
      : attempt_(attempt), accesses_(accesses), extents_(extents) {}

  /// Forgets those before.
  void clear() { claimed_.clear(); }
  /// The record is to be claimed.
  void add(Access& access) { claimed_.push_back(&access); }
  bool empty() const { return claimed_.empty(); }
  /// Posts the claims of what was added. Waits, if the worker needs entries.
  void send();
  /// Waits for them, and dooms the attempt if another has claimed one of the keys.
  void receive();

  /// Has servers give back to scans the keys of erased records that are about to be inserted again;
  /// waits. To be called before anything is installed: whoever has a snapshot that holds it comes
  /// across the key.
  void set_back_erased();

 private:
  bool allot(Access& access);
  void allot_entries();
  void take(Access& access, const Claim& claim);
  /// True if it is erased, and scans no longer come across it.
  bool to_set_back(const Access& access) const;

  Attempt& attempt_;
  AccessSet& accesses_;
  Extents* const extents_;
  std::vector<Access*> claimed_;  // in the order of their servers, once they are sent
  std::vector<Access*> erased_;   // likewise
};

}  // namespace verbena::txn::nam
