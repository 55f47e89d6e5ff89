// From begin to end.
#include "txn/prism_tx/attempt/transaction.h"

#include <algorithm>
#include <stdexcept>

#include "txn/waiting_text.h"

namespace verbena::txn::prism_tx {

using rdma::Work;

PrismTransaction::PrismTransaction(rdma::Worker& worker, const Deployment& deployment,
                                   const prism::Layout& layout, const Options& options,
                                   prism::Without without, const Owners& owners,
                                   rdma::BufferReports& reports, prism::BufferStock* stock,
                                   WorkerMetrics& metrics, const Timestamps& timestamps)
    : Transaction(worker),
      client_(worker, deployment, layout, options, without, owners, reports, stock, metrics),
      timestamps_(timestamps),
      look_up_(client_),
      validation_(client_),
      installation_(client_),
      resolution_(client_),
      memory_(client_.deployment.limits.record_bytes) {}

std::string PrismTransaction::waits_for() const {
  if (const Access* access = resolution_.waits_for()) {
    return "an earlier attempt at " +
           record_text(client_.layout.schema(), access->name, access->server);
  }
  if (const auto& lost = validation_.lost_to()) {
    return record_text(client_.layout.schema(), lost->name, lost->server) + ", prepared by " +
           client_.owners.name_of(lost->written) + ", which is dead";
  }
  if (client_.chains.asked().empty()) return {};
  return with_awaited("chains", client_.chains.asked());
}

void PrismTransaction::begin_attempt(Kind kind) {
  start_attempt(kind);
  worker_.core().spend(Work::kTransactionSetup);
  accesses_.clear();
  used_ = 0;
  gives_up_ = false;
  began_at_ = worker_.now();
}

// A record that may be erased is read, so that it is there when it is replaced.
Transaction::Handle PrismTransaction::note(const RecordName& wanted, Intent intent) {
  const auto known = std::ranges::find(accesses_, wanted, &Access::name);
  if (known != accesses_.end()) return static_cast<Handle>(known - accesses_.begin());
  worker_.core().spend(Work::kTransactionStep);
  const TableDefinition& table = client_.layout.schema()[wanted.table];
  if (intent == Intent::kOverwrite && table.erased) intent = Intent::kUpdate;
  if (used_ + table.payload_bytes > memory_.size()) {
    throw std::logic_error("a transaction of more records than its workload has in one");
  }
  accesses_.push_back({.name = wanted,
                       .server = client_.deployment.view.primary(wanted.partition),
                       .slot = {},
                       .raised_from = {}});
  items_.push_back(
      {.payload = memory_.data() + used_, .bytes = table.payload_bytes, .intent = intent});
  used_ += (table.payload_bytes + 7) / 8 * 8;
  return static_cast<Handle>(accesses_.size() - 1);
}

bool PrismTransaction::fetch_noted() {
  if (doomed()) return false;
  const std::optional<AbortCause> cause = look_up_.fetch(accesses_, items_);
  if (cause) doom(*cause);
  return !doomed();
}

// False: the attempt is doomed, and has released what it had prepared. Before it `now_` is nothing
// that anybody can see.
bool PrismTransaction::prepare(bool writes) {
  Timestamp known = kLoadedAt;
  for (std::size_t i = 0; i < accesses_.size(); ++i) {
    Access& access = accesses_[i];
    const bool has_version = items_[i].fetched && access.slot.has_value();
    access.writes = writes && items_[i].written;
    access.validates = has_version && !(items_[i].blind && access.writes);
    if (has_version) known = std::max(known, access.version);
  }
  now_ = timestamps_.take(worker_.now(), known);
  take_timestamp(now_);
  const std::optional<AbortCause> cause = validation_.prepare(accesses_, now_);
  if (!cause) return true;
  doom(*cause);
  resolution_.resolve(accesses_, now_);
  timestamps_.note(validation_.seen());
  gives_up_ = reads_what_the_dead_left();
  if (gives_up_) worker_.core().reach("prism_tx: transaction given up for a key of the dead");
  return false;
}

// Nobody can read it until somebody overwrites it. It is left as it is if that was so before this
// attempt began: else the dead client may have installed it since the attempt had read it.
bool PrismTransaction::reads_what_the_dead_left() {
  const auto& lost = validation_.lost_to();
  if (!lost) return false;
  if (std::ranges::find(left_, *lost) != left_.end()) return true;
  if (client_.left_by_the_dead(lost->server, lost->written)) left_.push_back(*lost);
  return false;
}

bool PrismTransaction::commit_attempt() {
  if (doomed()) return end();
  const Nanoseconds executed = worker_.now();
  if (!prepare(true)) return end();
  take_place();
  const Nanoseconds prepared = worker_.now();
  worker_.core().reach("prism_tx: attempt prepared");
  installation_.install(accesses_, items_, now_);
  worker_.core().reach("prism_tx: attempt installed");
  measure(executed, prepared);
  return end();
}

// All that was read was there at one time.
bool PrismTransaction::roll_back_attempt() {
  const bool stands = !doomed() && prepare(false);
  if (stands) doom(Abort::kRolledBack);
  end();
  return stands;
}

void PrismTransaction::measure(Nanoseconds executed, Nanoseconds prepared) {
  const Nanoseconds installed = worker_.now();
  if (!client_.metrics.measured(installed)) return;
  const Nanoseconds reads_validated = validation_.reads_validated_at();
  client_.metrics.record(Phase::kExecute, executed - began_at_);
  if (reads_validated > 0) {
    client_.metrics.record(Phase::kValidateReads, reads_validated - executed);
    executed = reads_validated;
  }
  if (prepared > executed) client_.metrics.record(Phase::kValidateWrites, prepared - executed);
  if (any_written()) client_.metrics.record(Phase::kInstall, installed - prepared);
}

bool PrismTransaction::end() {
  const Nanoseconds decided = worker_.now();
  client_.metrics.decide(decided, cause());
  end_attempt(decided);
  return !doomed();
}

}  // namespace verbena::txn::prism_tx
