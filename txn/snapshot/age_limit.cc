// Counting attempts that got too old.
#include "txn/snapshot/age_limit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/value_text.h"

namespace verbena::txn {

bool AgeLimit::allows(Nanoseconds snapshot_at, Nanoseconds now) {
  const Nanoseconds age = now - snapshot_at;
  if (age <= setting_.value) return true;
  age_ = age;
  at_ = snapshot_at;
  return false;
}

void AgeLimit::attempt_ended(bool over, Nanoseconds now) {
  const Nanoseconds age = std::exchange(age_, Nanoseconds(0));
  if (over) {
    tries_ = 0;
    return;
  }
  if (age == 0 || at_ == counted_) return;
  counted_ = at_;
  if (tries_++ == 0) {
    since_ = now - age;
    least_ = age;
  }
  least_ = std::min(least_, age);
  if (tries_ >= kTries && now - since_ >= kTries * setting_.value) refuse();
}

void AgeLimit::refuse() const {
  const bool shortened = setting_.value < setting_.by_default;
  throw ConfigurationError(
      setting_.name + " " + format_duration(setting_.value) + "; allowed is more than " +
      format_duration(least_) +
      (shortened ? " (by default it is " + format_duration(setting_.by_default) + ")" : "") +
      ": a transaction was tried " + std::to_string(tries_) +
      " times, and each time its snapshot got as old as that before it was done");
}

}  // namespace verbena::txn
