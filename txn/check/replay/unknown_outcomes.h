// Outcomes of attempts that clients were not told.
#pragma once

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "txn/check/anomalies/initial_values.h"
#include "txn/client_history.h"
#include "txn/schema/table.h"
#include "txn/schema/value_digest.h"

namespace verbena::txn {

/// Decides by others' reads which attempts of unknown outcome committed, and holds additional
/// values that records may have where that stays unknown. For attempts with timestamps: those
/// without wrote nothing. Not thread-safe.
class UnknownOutcomes {
 public:
  /// True for an attempt that may have committed or not.
  static bool unknown(const ClientAttempt& attempt);

  /// Sets Outcome::kCommitted of unknown attempts that wrote a value which only they can have
  /// written, if an attempt read it that committed or was rolled back by its client.
  static void decide(std::span<ClientHistory* const> histories, const InitialValues& initial);

  /// Tells that the record may have `value` from now on: for readers too, or only when all is at
  /// rest. Of an attempt whose client died while it committed, some writes may be missing then.
  void may_be(const RecordName& record, ValueDigest value) { add(record, value, false); }
  void may_rest(const RecordName& record, ValueDigest value) { add(record, value, true); }

  /// Tells that the record certainly has another value now.
  void replaced(const RecordName& record) {
    if (!possible_.empty()) possible_.erase(record);
  }

  /// Returns false when the attempt can have found none of the values that the record may have.
  bool can_fit(const ClientAccess& access) const;

  /// True if the record may have this value when all is at rest.
  bool can_rest(const RecordName& record, ValueDigest value) const;

 private:
  struct Possible {
    ValueDigest value;
    bool at_rest_only;
  };

  void add(const RecordName& record, ValueDigest value, bool at_rest_only) {
    possible_[record].push_back({value, at_rest_only});
  }

  std::map<RecordName, std::vector<Possible>> possible_;
};

}  // namespace verbena::txn
