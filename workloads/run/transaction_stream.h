// One stream of transactions: what a fiber does during a run.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "rdma/base/time.h"
#include "rdma/worker.h"
#include "txn/participant.h"
#include "txn/transaction.h"
#include "txn/view.h"
#include "workloads/run/arrivals.h"
#include "workloads/run/history/history_check.h"
#include "workloads/run/run_foresight.h"
#include "workloads/run/worker_run.h"
#include "workloads/workload.h"

namespace verbena::workloads {

/// Options that all streams of a run have in common. All of it must outlive them.
struct StreamOptions {
  std::uint64_t seed = 1;
  std::uint64_t max_transactions = 0;     ///< then it ends; 0: no such limit
  Nanoseconds patience = 0;               ///< see RunOptions
  bool latency_until_return = false;      ///< see RunOptions
  std::vector<std::string> abort_causes;  ///< the system's names for them
  OfferedLoad per_worker;                 ///< what each worker is offered
  const RunWindow& window;
  HistoryCheck* check = nullptr;  ///< of what clients see; null: none
  /// Called by whatever stream comes by when `window` wants to look, with the time since the start.
  std::function<void(Nanoseconds now)> look;
  std::atomic<std::int64_t>* position_ns = nullptr;  ///< see RunOptions
  const std::atomic<bool>* stop = nullptr;           ///< likewise
  RunForesight* foresight = nullptr;  ///< told of the time; null where nobody watches
};

/// Runs one transaction after another, each until it is committed, rolled back or given up
/// (txn::Transaction::gives_up), until the window is over. Told to stop, it begins no other, and
/// tries what was aborted not again. In an open loop each begins when it is due, or later when no
/// stream is free then; its latency is from when it was due. Belongs to the worker's thread.
class TransactionStream {
 public:
  TransactionStream(const StreamOptions& options, const Workload& workload,
                    txn::Participant& participant, rdma::Worker& worker, WorkerRun& shared,
                    const txn::Home& home, std::uint16_t fiber);

  /// The fiber's body.
  void run();

 private:
  void run_until_over();
  void begin();
  void observe_nics();
  void observe();
  void end_life();
  bool is_stopped();
  void run_one();
  void leave(Nanoseconds start);
  void end_without_effect(Nanoseconds start);
  void check_patience(Nanoseconds first_attempt) const;
  void wait(Nanoseconds time, Nanoseconds first_attempt);
  Nanoseconds next_start();
  Nanoseconds next_event() const;
  void leave_backlog();
  Nanoseconds ended_at() const;
  void note_committed(Nanoseconds start, Nanoseconds ended, std::uint32_t kind);
  void note_returned(Nanoseconds start, Nanoseconds decided);
  void note_entered(Nanoseconds start);

  const StreamOptions& options_;
  txn::Participant& participant_;
  rdma::Worker& worker_;
  WorkerRun& shared_;
  std::uint16_t fiber_;
  Nanoseconds began_ = 0;
  Nanoseconds free_since_ = 0;  // when the last transaction was decided, or this began
  Nanoseconds returned_{-1};    // when the last transaction's coroutine was free for the next
  Random random_;
  std::unique_ptr<txn::Transaction> transaction_;
  std::unique_ptr<WorkloadClient> client_;
};

}  // namespace verbena::workloads
