// Records the histories of a run's clients, and checks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "txn/check/anomalies/history_checker.h"
#include "txn/client_history.h"
#include "txn/client_recorder.h"
#include "txn/moment.h"
#include "txn/schema/table.h"
#include "txn/state_at_rest.h"
#include "txn/system_info.h"
#include "txn/view.h"

namespace verbena::workloads {

/// The histories of all clients of a process, and their replay. Where one thread runs all workers,
/// the replay follows during the run, so that memory does not grow with its length; otherwise it is
/// made at the end. Each client belongs to its worker's thread while workers run; everything else
/// to the caller's.
class HistoryCheck {
 public:
  /// Finds a node's records at rest.
  using StateOf = std::function<txn::StateAtRest&(NodeId node)>;

  HistoryCheck(const txn::Schema& schema, const txn::SystemInfo& system, bool one_thread);

  /// Adds a recorder for a client. Call it before the run. Valid as long as this object.
  txn::ClientRecorder& add_client(const txn::ClientId& client);

  /// To be called when attempts have ended; replays them if one thread runs all workers.
  void attempts_ended();

  /// Treats as committed what `state` holds as published, whichever client began it, even if it is
  /// lost later. For runs that have failed.
  void keep_published(const txn::View& view, const StateOf& state);

  /// Replays the rest, and compares the result with the primary copies at this process's nodes,
  /// where `view` places them.
  void finish(const txn::View& view, const StateOf& state);

  std::uint64_t replayed() const { return check_->replayed(); }
  std::uint64_t undecided() const { return check_->undecided(); }
  const std::optional<txn::Anomaly>& anomaly() const { return check_->anomaly(); }

 private:
  void lose_clients(const txn::View& view, const StateOf& state);
  void take_histories();

  const txn::Schema& schema_;
  const bool one_thread_;
  txn::MomentSource moments_;
  std::deque<txn::ClientHistory> histories_;  // one, or one per client
  std::deque<txn::ClientRecorder> clients_;
  std::unique_ptr<txn::HistoryChecker> check_;
};

}  // namespace verbena::workloads
