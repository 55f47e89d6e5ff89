// Histories of clients, attempt by attempt.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "txn/check/anomalies/anomaly.h"
#include "txn/check/replay/serializability_check.h"
#include "txn/client_history.h"

namespace verbena::testing {

/// Tables of these histories: 0 is not ordered and has at first only the records of keys 0 to 9,
/// whose value is loaded_value(); 1 is the same and ordered.
txn::Schema history_schema();

/// The digest of what is loaded.
txn::ValueDigest loaded_value();

/// Builds an attempt that commits.
class AttemptBuilder {
 public:
  explicit AttemptBuilder(std::uint16_t fiber) {
    attempt_.client.fiber = fiber;
    attempt_.sequence = 1;
    attempt_.outcome = txn::Outcome::kCommitted;
  }

  AttemptBuilder& during(txn::Moment began, txn::Moment ended);
  AttemptBuilder& placed(txn::Moment place);
  AttemptBuilder& timestamp(std::uint64_t timestamp);
  AttemptBuilder& outcome(txn::Outcome outcome);
  AttemptBuilder& read(txn::Key key, txn::ValueDigest value, txn::TableId table = 0);
  /// Its snapshot holds so many commits of each slot.
  AttemptBuilder& snapshot(const std::vector<std::uint32_t>& counts);
  /// When the system began to fetch that, and how old it may get.
  AttemptBuilder& fetched_at(Nanoseconds time);
  AttemptBuilder& usable(Nanoseconds age);
  /// The times of placed, and of the end.
  AttemptBuilder& placed_at(Nanoseconds time);
  AttemptBuilder& told_at(Nanoseconds time);
  /// Has its client not know how it ended.
  AttemptBuilder& untold();
  /// Gives its writes this stamp.
  AttemptBuilder& stamp(std::uint32_t slot, std::uint32_t count);
  /// Gives it this number among its client's attempts.
  AttemptBuilder& sequence(std::uint64_t number);
  /// Reads a value and replaces it.
  AttemptBuilder& write(txn::Key key, txn::ValueDigest read, txn::ValueDigest written,
                        txn::TableId table = 0);
  /// Replaces a value unseen.
  AttemptBuilder& put(txn::Key key, txn::ValueDigest written);
  /// Scans table 1, up to `limit` keys.
  AttemptBuilder& scan(txn::Key first, txn::Key last, std::uint32_t limit,
                       const std::vector<txn::Key>& keys, bool descending = false);

  void add_to(txn::ClientHistory& history) const;

 private:
  txn::ClientAttempt attempt_;
  std::vector<txn::ClientAccess> accesses_;
  std::vector<txn::ClientScan> scans_;
  std::vector<txn::Key> keys_;
  std::vector<std::uint32_t> counts_;
  txn::ClientSnapshot snapshot_;
};

/// The attempts, each of which is a client's first, replayed in one piece.
std::optional<txn::Anomaly> replayed(
    const std::vector<AttemptBuilder>& attempts,
    txn::Isolation isolation = txn::Isolation::kStrictSerializability);

/// The same by their timestamps, for serializability.
std::optional<txn::Anomaly> replayed_by_timestamps(const std::vector<AttemptBuilder>& attempts);

/// The anomaly's name; empty: none.
std::string name_of(const std::optional<txn::Anomaly>& anomaly);

}  // namespace verbena::testing
