// An operation on one record, in the form that checks of single records keep.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/time.h"
#include "txn/check/anomalies/anomaly.h"
#include "txn/client_history.h"
#include "txn/moment.h"
#include "txn/schema/table.h"
#include "txn/schema/value_digest.h"

namespace verbena::txn {

/// Certainty that an operation took effect.
enum class Effect : std::uint8_t {
  kCertain,
  kPossible,  ///< at any time since it began, or never
  kNone,
};

/// A read, a write, or a step that reads one value and leaves another at once. Plain data.
struct RegisterOperation {
  Moment began = kBeforeAll;
  Moment ended = kAfterAll;  ///< time by which it had taken effect
  ValueDigest read = kAbsentValue;
  ValueDigest written = kAbsentValue;
  std::uint64_t sequence = 0;  ///< number of its client's attempt; 0: the look at the final value
  Nanoseconds began_at = 0;
  Nanoseconds ended_at = 0;
  ClientId client = {};
  Outcome outcome = Outcome::kCommitted;
  bool reads : 1 = false;
  bool writes : 1 = false;  ///< wrote, or wanted to, with Effect::kNone
  Effect effect : 2 = Effect::kCertain;
};
static_assert(sizeof(RegisterOperation) == 64);

/// A violation of a rule of single records. The operations are copies.
struct RegisterFinding {
  std::string name;
  std::string what;  ///< what happened to the record
  std::vector<RegisterOperation> operations;
};

/// Returns text for people: "attempt A of node N, worker W, fiber F read V and wrote V from T to T
/// ns".
std::string operation_text(const RegisterOperation& operation);

/// Returns the finding as an anomaly, with its operations as attempts.
Anomaly register_anomaly(const RecordName& record, const RegisterFinding& finding);

}  // namespace verbena::txn
