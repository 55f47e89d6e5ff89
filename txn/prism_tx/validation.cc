// One compare-and-swap for each read and each write.
#include "txn/prism_tx/validation.h"

#include <algorithm>
#include <cassert>

#include "txn/prism_tx/slot_operations.h"

namespace verbena::txn::prism_tx {
namespace {

/// The words that the operations give.
struct Prepared {
  Timestamp written;
  Timestamp read;
};

}  // namespace

std::optional<AbortCause> Validation::prepare(std::span<Access> accesses, Timestamp now) {
  seen_ = 0;
  reads_validated_at_ = 0;
  steps_.clear();
  if (client_.options.prepare == Prepare::kPipelined) {
    // The read of a record comes first: once `written` is this attempt's, the version that was
    // read is too old.
    for (Access& access : accesses) {
      add_reads(std::span(&access, 1), now);
      add_writes(std::span(&access, 1), now);
    }
    return carry_out(now);
  }
  add_reads(accesses, now);
  if (!steps_.empty()) {
    const std::optional<AbortCause> cause = carry_out(now);
    reads_validated_at_ = client_.worker.now();
    if (cause) return cause;
  }
  add_writes(accesses, now);
  return carry_out(now);
}

void Validation::add_reads(std::span<Access> accesses, Timestamp now) {
  for (Access& access : accesses) {
    const bool merged = access.writes && client_.options.merge_rmw;
    if (access.validates && !merged) add(access, Kind::kRead, now);
  }
}

void Validation::add_writes(std::span<Access> accesses, Timestamp now) {
  for (Access& access : accesses) {
    const bool merged = access.validates && client_.options.merge_rmw;
    if (access.writes) add(access, merged ? Kind::kUpdate : Kind::kWrite, now);
  }
}

void Validation::add(Access& access, Kind kind, Timestamp now) {
  rdma::Operation operation;
  switch (kind) {
    case Kind::kRead:
      operation = validate_read(*access.slot, access.version, now);
      client_.count(Counter::kReadValidations);
      break;
    case Kind::kWrite:
      operation = validate_write(*access.slot, now);
      client_.count(Counter::kWriteValidations);
      break;
    case Kind::kUpdate:
      operation = validate_update(*access.slot, access.version, now);
      client_.count(Counter::kUpdateValidations);
      break;
  }
  steps_.push_back({&access, kind, client_.chains.add(access.server, operation)});
}

std::optional<AbortCause> Validation::carry_out(Timestamp now) {
  if (steps_.empty()) return std::nullopt;
  client_.make_round_trip();
  std::optional<AbortCause> first;
  for (const Step& step : steps_) {
    const std::optional<AbortCause> cause = judge(step, now);
    if (!first) first = cause;
  }
  steps_.clear();
  client_.chains.clear();
  return first;
}

std::optional<AbortCause> Validation::judge(const Step& step, Timestamp now) {
  const auto old = client_.chains.value<Prepared>(step.operation);
  const bool swapped = client_.chains.done(step.operation);
  seen_ = std::max({seen_, old.written, old.read});
  if (step.kind == Kind::kRead) {
    return swapped ? std::nullopt : judge_read(step, old.written);
  }
  if (swapped) step.access->raised_from = old.written;
  if (swapped && now >= old.read) return std::nullopt;
  if (swapped || (step.kind == Kind::kUpdate && old.written == step.access->version)) {
    client_.worker.core().reach("prism_tx: later reader met by a write");
    return Abort::kReadLater;
  }
  client_.worker.core().reach("prism_tx: later writer met by a write");
  return Abort::kWriteOvertaken;
}

// A later reader of the same version is in nobody's way.
std::optional<AbortCause> Validation::judge_read(const Step& step, Timestamp written) const {
  assert(written >= step.access->version);
  if (written == step.access->version) {
    client_.worker.core().reach("prism_tx: later reader met by a read");
    return std::nullopt;
  }
  client_.worker.core().reach("prism_tx: later writer met by a read");
  return Abort::kReadOvertaken;
}

}  // namespace verbena::txn::prism_tx
