// Anomalies in words.
#include "txn/check/anomalies/anomaly.h"

#include <array>
#include <charconv>

namespace verbena::txn {

const char* precedence_name(Precedence precedence) {
  constexpr std::array kNames = {"ww", "wr", "rw", "time"};
  return kNames[static_cast<std::size_t>(precedence)];
}

std::string anomaly_text(const std::optional<Anomaly>& anomaly) {
  return anomaly ? anomaly->name + ": " + anomaly->what : "";
}

std::string record_text(const RecordName& record) {
  return "table " + std::to_string(record.table) + " partition " +
         std::to_string(record.partition) + " key " + std::to_string(record.key);
}

std::string value_text(ValueDigest value) {
  if (value == kAbsentValue) return "absent";
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return {digits.data(), end};
}

std::string stamp_text(const Stamp& stamp) {
  return "commit " + std::to_string(stamp.count) + " of slot " + std::to_string(stamp.slot);
}

std::string attempt_text(const ClientAttempt& attempt) {
  return "attempt " + std::to_string(attempt.sequence) + " of node " +
         std::to_string(attempt.client.node) + ", worker " + std::to_string(attempt.client.worker) +
         ", fiber " + std::to_string(attempt.client.fiber);
}

}  // namespace verbena::txn
