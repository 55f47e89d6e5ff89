// Release of keys that an attempt was about to write, and does not.
#pragma once

#include <span>
#include <vector>

#include "txn/prism_tx/attempt/client.h"
#include "txn/prism_tx/records/access.h"

namespace verbena::txn::prism_tx {

/// Releases the keys of an attempt that is given up: nobody can read a key while its `written` is
/// later than its `committed`. Releases all keys that were raised, also those whose write did not
/// stand. Attempts that have raised one key form a stack, and each knows the one below. The top one
/// goes by taking `written` back; others are decided from the bottom up, by raising `committed`
/// from the one below. So attempts wait only for earlier ones, and `committed` passes no attempt
/// that may still commit, as it does where it is raised regardless (AbortRule::kGreater).
class Resolution {
 public:
  explicit Resolution(Client& client) : client_(client) {}

  /// Resolves all `accesses` that were raised to `now`. Returns once they are.
  void resolve(std::span<const Access> accesses, Timestamp now);

  /// Returns the record that is waited for; null when there is none.
  const Access* waits_for() const { return waits_for_; }

 private:
  bool takes_back() const;
  void undo_all(Timestamp now);
  void resolve_all(Timestamp now);

  struct Open {
    const Access* access;
    Timestamp left = 0;  // an attempt above it that the dead will not take back
  };

  Client& client_;
  std::vector<Open> open_;
  std::vector<rdma::OpId> operations_;
  const Access* waits_for_ = nullptr;
};

}  // namespace verbena::txn::prism_tx
