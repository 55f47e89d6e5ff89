// Anomalies: observations of clients that a system's promise rules out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "txn/client_history.h"

namespace verbena::txn {

/// Reasons why one attempt comes before another.
enum class Precedence : std::uint8_t {
  kWriteWrite,  ///< the later attempt replaced what the earlier one wrote
  kWriteRead,   ///< the later one read what the earlier one wrote
  kReadWrite,   ///< the later one replaced what the earlier one read, or missed in a scan
  kTime,        ///< the earlier one had ended when the later one began
};

/// "ww", "wr", "rw" or "time".
const char* precedence_name(Precedence precedence);

/// An attempt with its parts.
struct AnomalousAttempt {
  ClientAttempt attempt;
  std::vector<ClientAccess> accesses;
};

/// An edge: attempt `from` comes before attempt `to`.
struct AnomalyEdge {
  std::size_t from = 0;  ///< index in Anomaly::attempts, as `to`
  std::size_t to = 0;
  Precedence why = Precedence::kTime;
  RecordName record = {};            ///< record concerned, as `value`; not for kTime
  ValueDigest value = kAbsentValue;  ///< value that `from` wrote or, for kReadWrite, read
  bool scanned = false;              ///< a scan of `from` did not find the record
};

/// The attempts of a cycle, in its order, with its edges; or the attempts that concern an
/// impossible value.
struct Anomaly {
  std::string name;  ///< name in the literature (Adya), or a word of our own
  std::string what;  ///< one line
  std::vector<AnomalousAttempt> attempts;
  std::vector<AnomalyEdge> edges;
};

/// Returns "NAME: WHAT"; empty when there is none.
std::string anomaly_text(const std::optional<Anomaly>& anomaly);

/// Returns text of a record for people: "table T partition P key K".
std::string record_text(const RecordName& record);

/// Returns text for people: "absent", or the digest in hexadecimal digits.
std::string value_text(ValueDigest value);

/// Returns text for people: "commit N of slot S".
std::string stamp_text(const Stamp& stamp);

/// Returns text for people: "client node N worker W fiber F, attempt A".
std::string attempt_text(const ClientAttempt& attempt);

}  // namespace verbena::txn
