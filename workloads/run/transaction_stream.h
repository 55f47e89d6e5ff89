// A stream of transactions, which one fiber runs.
#pragma once

#include <atomic>
#include <cstdint>
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

/// Options that all streams of a run share. They must outlive the streams.
struct StreamOptions {
  std::uint64_t seed = 1;
  std::uint64_t max_transactions = 0;     ///< limit after which the stream ends; 0: none
  Nanoseconds patience = 0;               ///< see RunOptions
  bool latency_until_return = false;      ///< see RunOptions
  std::vector<std::string> abort_causes;  ///< names, by the system
  OfferedLoad per_worker;                 ///< load of each worker
  const RunWindow& window;
  HistoryCheck* check = nullptr;                     ///< check of what clients see; null: none
  std::atomic<std::int64_t>* position_ns = nullptr;  ///< see RunOptions
  const std::atomic<bool>* stop = nullptr;           ///< see RunOptions
  RunForesight* foresight = nullptr;                 ///< receives the time; null: nobody watches
};

/// Runs transactions one after another until the window is over, each until it is committed, rolled
/// back or given up (txn::Transaction::gives_up). When told to stop, it begins no new one and
/// retries none. In an open loop, each begins when it is due, or later if no stream is free then;
/// its latency counts from the due time. Belongs to the worker's thread.
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
  Nanoseconds free_since_ = 0;  // when the last transaction was decided, or the stream began
  Nanoseconds returned_{-1};    // when the last transaction's coroutine became free
  Random random_;
  std::unique_ptr<txn::Transaction> transaction_;
  std::unique_ptr<WorkloadClient> client_;
};

}  // namespace verbena::workloads
