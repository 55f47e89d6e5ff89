// One compare-and-swap for each read and each write.
#include "txn/prism_tx/attempt/validation.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>

#include "txn/prism_tx/records/slot_operations.h"

namespace verbena::txn::prism_tx {
namespace {

/// The words that the operations give.
struct Prepared {
  Timestamp written;
  Timestamp read;
};

}  // namespace

std::optional<AbortCause> Validation::prepare(std::span<Access> accesses, Timestamp now) {
  lost_to_.reset();
  seen_ = 0;
  reads_validated_at_ = 0;
  steps_.clear();
  if (client_.options.prepare == Prepare::kPipelined) {
    for (Access& access : accesses) add(access, true, true, now);
    return carry_out(now);
  }
  for (Access& access : accesses) add(access, true, false, now);
  if (!steps_.empty()) {
    const std::optional<AbortCause> cause = carry_out(now);
    reads_validated_at_ = client_.worker.now();
    if (cause) return cause;
  }
  for (Access& access : accesses) add(access, false, true, now);
  return carry_out(now);
}

// Where a record takes both, they are in one chain, since chains may overtake each other, and the
// read comes first: once `written` is this attempt's, the version that was read is too old.
void Validation::add(Access& access, bool reads, bool writes, Timestamp now) {
  const bool merged = access.validates && access.writes && client_.options.merge_rmw;
  std::array<Kind, 2> kinds;
  std::array<rdma::Operation, 2> operations;
  std::uint32_t count = 0;
  if (reads && access.validates && !merged) kinds[count++] = Kind::kRead;
  if (writes && access.writes) kinds[count++] = merged ? Kind::kUpdate : Kind::kWrite;
  if (count == 0) return;
  for (std::uint32_t n = 0; n < count; ++n) operations[n] = operation(access, kinds[n], now);
  const rdma::OpId first = client_.chains.add(access.server, std::span(operations).first(count));
  for (std::uint32_t n = 0; n < count; ++n) steps_.push_back({&access, kinds[n], first, n});
}

rdma::Operation Validation::operation(const Access& access, Kind kind, Timestamp now) const {
  switch (kind) {
    case Kind::kRead:
      client_.count(Counter::kReadValidations);
      return validate_read(*access.slot, access.version, now);
    case Kind::kWrite:
      client_.count(Counter::kWriteValidations);
      return validate_write(*access.slot, now);
    case Kind::kUpdate:
      client_.count(Counter::kUpdateValidations);
      return validate_update(*access.slot, access.version, now);
  }
  throw std::logic_error("no such kind of validation");
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
  const auto old = client_.chains.value<Prepared>(step.first, step.behind);
  const bool swapped = client_.chains.done(step.first, step.behind);
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
  if (step.kind == Kind::kUpdate) note_writer(*step.access, old.written);
  return Abort::kWriteOvertaken;
}

void Validation::note_writer(const Access& access, Timestamp written) {
  if (!client_.owners.dead_client(written)) return;
  lost_to_ = {.name = access.name, .server = access.server, .written = written};
}

// A later reader of the same version is in nobody's way.
std::optional<AbortCause> Validation::judge_read(const Step& step, Timestamp written) {
  assert(written >= step.access->version);
  if (written == step.access->version) {
    client_.worker.core().reach("prism_tx: later reader met by a read");
    return std::nullopt;
  }
  client_.worker.core().reach("prism_tx: later writer met by a read");
  note_writer(*step.access, written);
  return Abort::kReadOvertaken;
}

}  // namespace verbena::txn::prism_tx
