// Evidence by values, as long as it finds more.
#include "txn/check/replay/unknown_outcomes.h"

#include <algorithm>
#include <deque>

#include "txn/check/anomalies/anomaly_search.h"

namespace verbena::txn {
namespace {

// A value that an unknown attempt wanted to write.
struct Wanted {
  const ClientHistory* history;
  ClientAttempt* attempt;
  bool shared;  // others wrote it, too
};

using WantedValues = std::map<std::pair<RecordName, ValueDigest>, Wanted>;

bool counts(const ClientAttempt& attempt) {
  return attempt.outcome == Outcome::kCommitted || attempt.outcome == Outcome::kRolledBack;
}

WantedValues wanted_values(std::span<ClientHistory* const> histories,
                           const InitialValues& initial) {
  WantedValues wanted;
  for (ClientHistory* history : histories) {
    for (ClientAttempt& attempt : history->attempts) {
      if (!UnknownOutcomes::unknown(attempt)) continue;
      for (const ClientAccess& access : history->accesses(attempt)) {
        if (!access.writes) continue;
        const bool loaded = access.written == initial.of(access.record);
        const auto [place, is_new] =
            wanted.try_emplace({access.record, access.written}, Wanted{history, &attempt, loaded});
        if (!is_new) place->second.shared = true;
      }
    }
  }
  return wanted;
}

// Calls `visitor` with each access of attempts that count, and whether it wrote.
template <typename Visitor>
void visit_accesses(std::span<ClientHistory* const> histories, const Visitor& visitor) {
  for (const ClientHistory* history : histories) {
    for (const ClientAttempt& attempt : history->attempts) {
      if (!counts(attempt)) continue;
      const bool committed = attempt.outcome == Outcome::kCommitted;
      for (const ClientAccess& access : history->accesses(attempt)) {
        visitor(access, committed && access.writes);
      }
    }
  }
}

}  // namespace

bool UnknownOutcomes::unknown(const ClientAttempt& attempt) {
  if (attempt.timestamp == 0 || attempt.outcome == Outcome::kCommitted) return false;
  return attempt.outcome == Outcome::kUnknown || !attempt.told;
}

void UnknownOutcomes::decide(std::span<ClientHistory* const> histories,
                             const InitialValues& initial) {
  WantedValues wanted = wanted_values(histories, initial);
  if (wanted.empty()) return;
  visit_accesses(histories, [&](const ClientAccess& access, bool wrote) {
    const auto place = wrote ? wanted.find({access.record, access.written}) : wanted.end();
    if (place != wanted.end()) place->second.shared = true;
  });
  std::deque<const Wanted*> committed;
  const auto look_at = [&](const ClientAccess& access) {
    if (!access.fetched) return;
    const auto place = wanted.find({access.record, access.read});
    if (place == wanted.end() || place->second.shared || !unknown(*place->second.attempt)) return;
    place->second.attempt->outcome = Outcome::kCommitted;
    place->second.attempt->told = false;
    committed.push_back(&place->second);
  };
  visit_accesses(histories, [&](const ClientAccess& access, bool) { look_at(access); });
  for (; !committed.empty(); committed.pop_front()) {
    const Wanted& one = *committed.front();
    for (const ClientAccess& access : one.history->accesses(*one.attempt)) look_at(access);
  }
}

bool UnknownOutcomes::can_fit(const ClientAccess& access) const {
  const auto place = possible_.find(access.record);
  return place != possible_.end() &&
         std::ranges::any_of(place->second, [&](const Possible& possible) {
           return !possible.at_rest_only && fits(access, possible.value);
         });
}

bool UnknownOutcomes::can_rest(const RecordName& record, ValueDigest value) const {
  const auto place = possible_.find(record);
  return place != possible_.end() &&
         std::ranges::find(place->second, value, &Possible::value) != place->second.end();
}

}  // namespace verbena::txn
