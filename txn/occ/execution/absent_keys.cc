// Looking up again what was absent.
#include "txn/occ/execution/absent_keys.h"

namespace verbena::txn::occ {

void AbsentKeys::validate(const PhasePlan& phase) {
  if (attempt_.doomed()) return;
  absences_.clear();
  for (Access& access : attempt_.accesses()) {
    if (!access.missing() || access.lock().held()) continue;
    absences_.push_back({&access, access.entry(), access.version()});
  }
  if (absences_.empty()) return;
  bool pending = start_again(phase);
  while (pending && !attempt_.doomed()) pending = finish_round(phase);
  if (attempt_.doomed()) return;
  attempt_.reach("occ: absence looked up again");
  for (const auto& [access, entry, version] : absences_) {
    if (access->found()) {
      attempt_.reach("occ: absent key has been inserted");
    } else if (access->entry() != entry || access->version() != version) {
      attempt_.reach("occ: absent key is absent in another way");
    } else {
      continue;
    }
    attempt_.conflict(Abort::kValidationFailed, {.name = access->name()});
  }
}

// True: requests have to be sent.
bool AbsentKeys::start_again(const PhasePlan& phase) {
  bool pending = false;
  for (const Absence& absence : absences_) {
    look_up_.start_again(*absence.access, phase);
    pending |= !absence.access->settled();
  }
  return pending;
}

// True: another round is needed.
bool AbsentKeys::finish_round(const PhasePlan& phase) {
  for (const Absence& absence : absences_) look_up_.add_request(*absence.access);
  attempt_.post_and_wait(phase);
  bool pending = false;
  for (const Absence& absence : absences_) {
    if (absence.access->posted()) look_up_.take_answer(*absence.access);
    pending |= !absence.access->settled();
  }
  attempt_.calls().clear();
  return pending;
}

}  // namespace verbena::txn::occ
