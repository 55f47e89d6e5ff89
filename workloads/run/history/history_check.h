// Records the histories of a run's clients, and checks them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "txn/check/anomalies/history_checker.h"
#include "txn/client_history.h"
#include "txn/client_recorder.h"
#include "txn/moment.h"
#include "txn/schema/table.h"
#include "txn/state_at_rest.h"
#include "txn/system_info.h"
#include "txn/view.h"

namespace verbena::workloads {

/// The histories of all clients of a process, and their replay. This follows during the run where
/// somebody may look at it (RunWatch), so that memory does not grow with its length; otherwise it
/// is made at the end. Each client belongs to its worker's thread while workers run; everything
/// else to the caller's.
class HistoryCheck {
 public:
  /// Finds a node's records at rest.
  using StateOf = std::function<txn::StateAtRest&(NodeId node)>;

  /// Gives the moments of a node's clients, during the run.
  using MomentsOf = std::function<txn::Moment(NodeId node)>;

  HistoryCheck(const txn::Schema& schema, const txn::SystemInfo& system, MomentsOf moments);

  /// Adds a recorder for a client. Call it before the run. Valid as long as this object.
  txn::ClientRecorder& add_client(const txn::ClientId& client);

  /// Replays, while no worker runs, attempts up to `now`, once they are many. Attempts that have
  /// not begun yet must begin later than `now`.
  void follow(txn::Moment now);

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
  void end_run();
  void lose_clients(const txn::View& view, const StateOf& state);
  void take_histories();

  const txn::Schema& schema_;
  MomentsOf moments_of_;
  std::vector<std::unique_ptr<txn::MomentSource>> moments_;  // one per client
  txn::CountedMoments after_run_{txn::kAfterAll / 2};        // in which nothing else has any
  std::deque<txn::ClientHistory> histories_;                 // one per client
  std::deque<txn::ClientRecorder> clients_;
  std::unique_ptr<txn::HistoryChecker> check_;
};

}  // namespace verbena::workloads
