// Random operations on one record, and the plainest search for an order of them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rdma/base/random.h"
#include "txn/client_history.h"
#include "txn/moment.h"
#include "txn/schema/value_digest.h"

namespace verbena::testing {

struct PlainOperation {
  txn::Moment began = 0;
  txn::Moment ended = 0;
  std::optional<txn::ValueDigest> read;
  std::optional<txn::ValueDigest> written;
  txn::Outcome outcome = txn::Outcome::kCommitted;
};

struct PlainHistory {
  txn::ValueDigest initial = txn::kAbsentValue;
  std::vector<PlainOperation> operations;  // by their ends
  std::optional<txn::ValueDigest> final_value;
};

/// Tries all orders of the operations, at most 63, for one that explains what was read, and the
/// final value if there is one.
bool has_order(const PlainHistory& history);

struct PlainMix {
  std::size_t operations = 7;
  std::uint64_t erasures = 0;  ///< percent of writes
  std::uint64_t repeats = 0;   ///< percent of other writes, which repeat any value
  std::uint64_t steps = 0;     ///< percent of operations
  std::uint64_t unknown = 0;   ///< likewise, of writes and steps
  std::uint64_t aborted = 0;   ///< likewise
  std::uint64_t clients = 3;   ///< at work at a time
  std::uint64_t wrong = 0;     ///< percent of histories in which one value is another
};

/// An execution that is right, but perhaps for some values.
PlainHistory random_history(Random& random, const PlainMix& mix, txn::ValueDigest initial);

/// The history as its clients' attempts, those of `first` to `end` of its operations.
txn::ClientHistory attempts_of(const PlainHistory& history, txn::Key key, std::size_t first,
                               std::size_t end);

}  // namespace verbena::testing
