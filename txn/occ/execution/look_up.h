// Look-up and read of one record, local or remote (DrTM+H paper, section 5.1).
#pragma once

#include "rdma/base/message_io.h"
#include "txn/occ/attempt/attempt.h"

namespace verbena::txn::occ {

/// Takes the steps of a look-up as the plan says: by this node's CPU, by READs of index buckets and
/// the record, or by an RPC to the owner. The location cache saves steps. A record that another
/// transaction holds dooms the attempt. Belongs to the transaction's fiber.
class LookUp {
 public:
  explicit LookUp(Attempt& attempt) : attempt_(attempt) {}

  /// Begins the look-up of a noted record: settles a local one, and chooses the way to a remote
  /// one.
  void start(Access& access);

  /// Begins the second look-up of an absent record, by the primitive of `phase` and without the
  /// location cache.
  void start_again(Access& access, const PhasePlan& phase);

  /// Adds the look-up's next request, if it needs one. Returns true if one is to be waited for.
  bool add_request(Access& access);

  /// Evaluates the answer: settles the record or goes on to the next request.
  void take_answer(Access& access);

 private:
  bool locks_now(const Access& access) const;
  void choose_way(Access& access, bool use_cache);
  void read_first_bucket(Access& access);
  void read_local(Access& access);
  void take_conflict(Access& access, AbortCause cause, std::uint64_t lock = kUnlocked);
  void settle(Access& access);
  void ask_owner(Access& access);
  void take_record(Access& access);
  void reach_stale_location(bool remembered, bool other_key);
  void take_bucket(Access& access);
  void take_reply(Access& access);
  void take_reply(Access& access, MessageReader& reply);

  Attempt& attempt_;
};

}  // namespace verbena::txn::occ
