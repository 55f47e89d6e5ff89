// Anomalies: observations of clients that a system's promise rules out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "txn/client_history.h"

namespace verbena::txn {

/// Why one attempt comes before another.
enum class Precedence : std::uint8_t {
  kWriteWrite,  ///< the other replaced what the one wrote
  kWriteRead,   ///< the other read what the one wrote
  kReadWrite,   ///< the other replaced what the one read, or found missing in a scan
  kTime,        ///< the one had ended when the other began
};

/// "ww", "wr", "rw" or "time".
const char* precedence_name(Precedence precedence);

/// An attempt with its parts.
struct AnomalousAttempt {
  ClientAttempt attempt;
  std::vector<ClientAccess> accesses;
};

/// One attempt comes before another.
struct AnomalyEdge {
  std::size_t from = 0;  ///< index in Anomaly::attempts, as `to`
  std::size_t to = 0;
  Precedence why = Precedence::kTime;
  RecordName record = {};            ///< of all but kTime, as `value`
  ValueDigest value = kAbsentValue;  ///< that `from` wrote or, of kReadWrite, read
  bool scanned = false;              ///< it was a scan of `from` that did not find the record
};

/// The attempts are those of a cycle, in its order, which the edges close; or those that have to do
/// with a value that cannot be.
struct Anomaly {
  std::string name;  ///< as the literature has it (Adya), or a word of our own
  std::string what;  ///< one line
  std::vector<AnomalousAttempt> attempts;
  std::vector<AnomalyEdge> edges;
};

/// "NAME: WHAT"; empty when there is none.
std::string anomaly_text(const std::optional<Anomaly>& anomaly);

/// The record, for people: "table T partition P key K".
std::string record_text(const RecordName& record);

/// For people: "absent", or the digest in hexadecimal digits.
std::string value_text(ValueDigest value);

/// For people: "commit N of slot S".
std::string stamp_text(const Stamp& stamp);

/// For people: "client node N worker W fiber F, attempt A".
std::string attempt_text(const ClientAttempt& attempt);

}  // namespace verbena::txn
