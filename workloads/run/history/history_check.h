// Recording what the clients of a run see, and checking it.
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

/// The histories of all clients of a process, and their replay. Where one thread runs all workers
/// the replay keeps up with the run, so that neither grows with its length; else it is made at the
/// end. Each client belongs to its worker's thread while workers run, all else to the caller's.
class HistoryCheck {
 public:
  /// Finds a node's records at rest.
  using StateOf = std::function<txn::StateAtRest&(NodeId node)>;

  HistoryCheck(const txn::Schema& schema, const txn::SystemInfo& system, bool one_thread);

  /// A recorder for a client, to be asked for before the run; as long as this.
  txn::ClientRecorder& add_client(const txn::ClientId& client);

  /// Attempts have ended.
  void attempts_ended();

  /// Takes for committed what `state` holds as published, whoever began it, whatever is lost of
  /// that later. For when a run has failed.
  void keep_published(const txn::View& view, const StateOf& state);

  /// Replays what is left, and compares what the primary copies of the process's nodes hold, as
  /// `view` places them.
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
  std::deque<txn::ClientHistory> histories_;  // one, or one for each client
  std::deque<txn::ClientRecorder> clients_;
  std::unique_ptr<txn::HistoryChecker> check_;
};

}  // namespace verbena::workloads
