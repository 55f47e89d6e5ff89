// Why clients saw what they cannot have seen.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "txn/check/anomaly.h"
#include "txn/check/initial_values.h"
#include "txn/client_history.h"

namespace verbena::txn {

/// An attempt that read a record otherwise than the model holds it.
struct Misread {
  const ClientHistory* history;  ///< one of those that are searched
  const ClientAttempt* attempt;  ///< of it
  RecordName record;
};

/// What is wrong, if there is no order of all attempts that committed or were rolled back by their
/// clients in which each reads what was written last before it, nor, with `in_time`, one that
/// agrees with their times. A value that no committed attempt wrote comes first, with who is to
/// blame for it; then a shortest cycle, by what they read and wrote and by their times, with the
/// name that the literature has for it; then a value that had been replaced before the histories
/// begin. Each write follows what its attempt had read of the record, as it does in Transaction.
std::optional<Anomaly> find_anomaly(std::span<const ClientHistory* const> histories,
                                    const InitialValues& initial, bool in_time,
                                    std::span<const Misread> misreads);

/// A record that in the end is not what the last attempt to write it left.
Anomaly final_anomaly(std::span<const ClientHistory* const> histories, const RecordName& record,
                      ValueDigest expected, ValueDigest found);

}  // namespace verbena::txn
