// Operations in words, and as attempts.
#include "txn/check/registers/register_operation.h"

namespace verbena::txn {
namespace {

ClientAttempt attempt_of(const RegisterOperation& operation) {
  ClientAttempt attempt;
  attempt.client = operation.client;
  attempt.outcome = operation.outcome;
  attempt.sequence = operation.sequence;
  attempt.began = operation.began;
  attempt.ended = operation.ended;
  attempt.began_at = operation.began_at;
  attempt.ended_at = operation.ended_at;
  attempt.accesses = 1;
  return attempt;
}

}  // namespace

std::string operation_text(const RegisterOperation& operation) {
  std::string text = attempt_text(attempt_of(operation));
  if (operation.sequence == 0) text = "the look after the end";
  if (operation.reads) text += " read " + value_text(operation.read);
  if (operation.reads && operation.writes) text += " and";
  if (operation.writes) {
    text += operation.outcome == Outcome::kCommitted ? " wrote " : " wanted to write ";
    text += value_text(operation.written);
  }
  if (operation.sequence == 0) return text;
  text += " from " + std::to_string(operation.began_at.count());
  if (operation.outcome == Outcome::kUnknown) return text + " ns on";
  return text + " to " + std::to_string(operation.ended_at.count()) + " ns";
}

Anomaly register_anomaly(const RecordName& record, const RegisterFinding& finding) {
  Anomaly anomaly{.name = finding.name,
                  .what = record_text(record) + ": " + finding.what,
                  .attempts = {},
                  .edges = {}};
  const char* separator = ": ";
  for (const RegisterOperation& operation : finding.operations) {
    anomaly.what += separator + operation_text(operation);
    separator = "; ";
    if (operation.sequence == 0) continue;
    anomaly.attempts.push_back({.attempt = attempt_of(operation),
                                .accesses = {{.record = record,
                                              .read = operation.read,
                                              .written = operation.written,
                                              .fetched = operation.reads,
                                              .writes = operation.writes}}});
  }
  return anomaly;
}

}  // namespace verbena::txn
