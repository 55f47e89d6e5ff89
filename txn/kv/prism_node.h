// A server or a client of PRISM-KV.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "rdma/endpoint.h"
#include "rdma/prism/buffer_reports.h"
#include "rdma/prism/prism_server.h"
#include "txn/kv/measures.h"
#include "txn/participant.h"
#include "txn/prism/keeper.h"
#include "txn/prism/layout.h"
#include "txn/prism/server_options.h"
#include "txn/prism/state_at_rest.h"
#include "txn/state_at_rest.h"
#include "txn/system.h"

namespace verbena::txn::kv {

/// One node's part. A server's cores carry out chains; nobody else touches its objects. See
/// Participant.
class PrismNode final : public txn::Participant {
 public:
  /// Throws ConfigurationError for tables that cannot be laid out.
  PrismNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
            const prism::ServerOptions& options);

  /// Throws ConfigurationError for messages that are too short.
  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  std::vector<std::function<void()>> background(WorkerId worker) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override { return *state_; }

 private:
  /// Memory and services of a server.
  struct Objects {
    Objects(const prism::Layout& layout, std::uint32_t low_water, rdma::Region& region,
            std::uint32_t workers);
    rdma::PrismServer server;
    std::optional<prism::Keeper> keeper;  // once the server has the region
    std::optional<prism::SlotsAtRest> state;
  };

  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  prism::Layout layout_;
  std::deque<WorkerMetrics> workers_;
  std::unique_ptr<Objects> objects_;
  std::deque<rdma::BufferReports> reports_;  // of a client's workers
  std::unique_ptr<txn::StateAtRest> nothing_;
  txn::StateAtRest* state_ = nullptr;
};

}  // namespace verbena::txn::kv
