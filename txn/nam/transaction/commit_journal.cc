// Changes of an attempt as its journal has them.
#include "txn/nam/transaction/commit_journal.h"

namespace verbena::txn::nam {

CommitJournal::CommitJournal(Attempt& attempt, AccessSet& accesses, const JournalLayout* journals,
                             const TransactionLimits& limits)
    : attempt_(attempt), accesses_(accesses) {
  if (journals == nullptr) return;
  journal_.emplace(attempt.worker(), attempt.layout(), *journals, limits, attempt.number());
}

Journal::Change CommitJournal::change_of(const Access& access) const {
  const AccessSet::Item& item = accesses_.item(access);
  return {.record = {.key = access.name().key,
                     .entry = access.entry(),
                     .replaced = access.image().version(),
                     .installs = access.image().installs(),
                     .partition = access.name().partition,
                     .table = access.name().table,
                     .erased = item.erased},
          .payload = {item.payload, item.bytes}};
}

void CommitJournal::write(const Stamp& stamp) {
  attempt_.at(Attempt::Step::kLogs);
  changes_.clear();
  for (const Access& access : accesses_) {
    if (accesses_.written(access)) changes_.push_back(change_of(access));
  }
  journal_->write(stamp, attempt_.lock_word(), attempt_.snapshot().counts(), changes_);
  attempt_.reach("nam: journal written");
}

}  // namespace verbena::txn::nam
