// Search for the anomaly that explains an impossible observation of clients.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "txn/check/anomalies/anomaly.h"
#include "txn/check/anomalies/initial_values.h"
#include "txn/client_history.h"

namespace verbena::txn {

/// The known attempts of a run.
struct Attempts {
  std::vector<const ClientHistory*> histories;
  bool forgotten = false;  ///< older attempts were forgotten
};

/// An attempt that read another value of a record than the model holds.
struct Misread {
  const ClientHistory* history;  ///< one of the histories that are searched
  const ClientAttempt* attempt;  ///< an attempt of `history`
  RecordName record;
};

/// Explains what attempts read. Looks first for a value that no committed attempt wrote, and names
/// the attempts to blame. Looks then for a shortest cycle among the attempts that committed or were
/// rolled back by their clients, by their reads and writes and, with `in_time`, by their times, and
/// names it as the literature does. Else, with `in_time`, returns what is known all the same. Each
/// write follows what its attempt had read of the record, as in Transaction. The writer of a value
/// that several attempts wrote is left open.
std::optional<Anomaly> find_anomaly(const Attempts& attempts, const InitialValues& initial,
                                    bool in_time, std::span<const Misread> misreads);

/// Returns false when the attempt cannot have taken place while the record held `held`. A value
/// that it replaced without reading it must only have existed.
inline bool fits(const ClientAccess& access, ValueDigest held) {
  if (access.fetched) return access.read == held;
  return !access.writes || held != kAbsentValue;
}

/// Reports a value that changed before the attempt ended, though the attempt had not written it.
Anomaly changed_value(const ClientHistory& history, const ClientAttempt& attempt,
                      const RecordName& record);

/// Reports a scan with keys out of its range or order, or with more keys than asked for.
Anomaly disorderly_scan(const ClientHistory& history, const ClientAttempt& attempt);

/// Returns one of these two; nothing if the attempt has none.
std::optional<Anomaly> wrong_by_itself(const ClientHistory& history, const ClientAttempt& attempt);

/// Reports two attempts that committed with one timestamp, although timestamps order them.
Anomaly same_timestamp(const ClientHistory& history, const ClientAttempt& attempt,
                       const ClientHistory& other_history, const ClientAttempt& other);

/// Reports an attempt, in no known cycle, that found the record otherwise than it was at the
/// attempt's timestamp. The record then held `held` since `since`, its writer's timestamp.
Anomaly out_of_timestamp_order(const Attempts& attempts, const Misread& misread, ValueDigest held,
                               std::uint64_t since);

/// Reports a record whose final value is not that of the last attempt to write it.
Anomaly final_anomaly(const Attempts& attempts, const RecordName& record, ValueDigest expected,
                      ValueDigest found);

}  // namespace verbena::txn
