// Finding and reading one record, wherever it is (DrTM+H paper, section 5.1).
#pragma once

#include "rdma/base/message_io.h"
#include "txn/occ/attempt/attempt.h"

namespace verbena::txn::occ {

/// The steps of a look-up: by this node's CPU, by READs of the index's buckets and of the record,
/// or by an RPC to the owner, as the plan says; the location cache saves steps. A record that is in
/// another transaction's way dooms the attempt. Belongs to the transaction's fiber.
class LookUp {
 public:
  explicit LookUp(Attempt& attempt) : attempt_(attempt) {}

  /// Begins with a record that was only noted: settles a local one, and decides how another is
  /// reached.
  void start(Access& access);

  /// The same for a record whose absence is to be seen again, without location cache, by the
  /// primitive of `phase`.
  void start_again(Access& access, const PhasePlan& phase);

  /// Adds the request that the look-up needs next, if it needs one. True: one is to be waited for.
  bool add_request(Access& access);

  /// Takes the answer to the request that was posted: the record is settled, or needs another.
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
