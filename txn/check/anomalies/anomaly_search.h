// Search for the anomaly that explains why clients saw what they cannot have seen.
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
  bool forgotten = false;  ///< there were others before
};

/// An attempt that read a record otherwise than the model holds it.
struct Misread {
  const ClientHistory* history;  ///< one of those that are searched
  const ClientAttempt* attempt;  ///< of it
  RecordName record;
};

/// Why attempts read what they did. First, a value that no committed attempt wrote, with who is to
/// blame for it; then a shortest cycle of all attempts that committed or were rolled back by their
/// clients, by what they read and wrote and, with `in_time`, by their times, with the name that the
/// literature has for it; else, with `in_time`, what is known all the same. Each write follows what
/// its attempt had read of the record, as it does in Transaction. Who wrote a value that several
/// wrote is left open.
std::optional<Anomaly> find_anomaly(const Attempts& attempts, const InitialValues& initial,
                                    bool in_time, std::span<const Misread> misreads);

/// False: the attempt cannot have been where the record held `held`. It need not have read what it
/// replaced, but that was there.
inline bool fits(const ClientAccess& access, ValueDigest held) {
  if (access.fetched) return access.read == held;
  return !access.writes || held != kAbsentValue;
}

/// A value that was another when the attempt ended, though it had not written it.
Anomaly changed_value(const ClientHistory& history, const ClientAttempt& attempt,
                      const RecordName& record);

/// Keys out of a scan's range or order, or more of them than it was asked for.
Anomaly disorderly_scan(const ClientHistory& history, const ClientAttempt& attempt);

/// One of these two; nothing if the attempt has none.
std::optional<Anomaly> wrong_by_itself(const ClientHistory& history, const ClientAttempt& attempt);

/// Two that committed with one timestamp, which is to order them.
Anomaly same_timestamp(const ClientHistory& history, const ClientAttempt& attempt,
                       const ClientHistory& other_history, const ClientAttempt& other);

/// An attempt that is in no known cycle, and had found the record otherwise than it was at the
/// attempt's timestamp: `held`, since `since`, which is its writer's timestamp.
Anomaly out_of_timestamp_order(const Attempts& attempts, const Misread& misread, ValueDigest held,
                               std::uint64_t since);

/// A record that in the end is not what the last attempt to write it left.
Anomaly final_anomaly(const Attempts& attempts, const RecordName& record, ValueDigest expected,
                      ValueDigest found);

}  // namespace verbena::txn
