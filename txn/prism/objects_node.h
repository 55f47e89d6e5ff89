// A server or a client of a system whose objects lie behind slots.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "rdma/endpoint.h"
#include "rdma/prism/buffer_reports.h"
#include "rdma/prism/chain_server.h"
#include "txn/participant.h"
#include "txn/prism/buffers/buffer_stock.h"
#include "txn/prism/buffers/keeper.h"
#include "txn/prism/buffers/scavenger.h"
#include "txn/prism/deaths/deaths.h"
#include "txn/prism/layout.h"
#include "txn/prism/measures.h"
#include "txn/prism/nothing_at_rest.h"
#include "txn/prism/server_options.h"
#include "txn/prism/state_at_rest.h"
#include "txn/system.h"

namespace verbena::txn::prism {

/// One node's part, but for its transactions. A server's cores carry out chains; nobody else
/// touches its objects. A client's death is detected, and its buffers are used again. See
/// Participant.
class ObjectsNode : public txn::Participant {
 public:
  std::vector<std::function<void()>> background(WorkerId worker) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override { return *state_; }

 protected:
  /// Makes the state at rest of a server's objects; all arguments outlive it.
  using MakeState = std::function<std::unique_ptr<SlotsAtRest>(
      const Layout& layout, rdma::Region& region, rdma::ChainServer& server, const Keeper& keeper)>;

  /// Throws ConfigurationError for tables that cannot be laid out.
  ObjectsNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
              const ServerOptions& options, const SlotFormat& format, const MakeState& make_state);

  rdma::Endpoint& endpoint() { return endpoint_; }
  const Deployment& deployment() const { return deployment_; }
  const Layout& layout() const { return layout_; }
  /// Buffers that a client's worker gives back.
  rdma::BufferReports& reports(WorkerId worker) { return reports_[worker]; }
  /// Buffers that it has; null where servers allocate them.
  BufferStock* stock(WorkerId worker) { return stocks_.empty() ? nullptr : &stocks_[worker]; }
  WorkerMetrics& worker_metrics(WorkerId worker) { return workers_[worker]; }

 private:
  /// Services of a server.
  struct Objects {
    Objects(const Layout& layout, std::uint32_t low_water, rdma::Region& region,
            std::uint32_t workers);
    rdma::ChainServer server;
    std::optional<Keeper> keeper;  // once the server has the region
    std::optional<Scavenger> scavenger;
    std::unique_ptr<SlotsAtRest> state;
  };

  void keep_objects(const ServerOptions& options, const MakeState& make_state);
  std::uint64_t most_buffers_of(NodeId client) const;

  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  const Without without_;
  Layout layout_;
  Deaths deaths_;
  std::deque<WorkerMetrics> workers_;
  std::unique_ptr<Objects> objects_;
  std::deque<rdma::BufferReports> reports_;  // of a client's workers
  std::deque<BufferStock> stocks_;           // likewise
  NothingAtRest nothing_;
  txn::StateAtRest* state_ = &nothing_;
};

}  // namespace verbena::txn::prism
