// Server or client of PRISM-RS.
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
#include "txn/blocks/errands.h"
#include "txn/blocks/options.h"
#include "txn/blocks/rs/rs_at_rest.h"
#include "txn/blocks/rs/rs_layout.h"
#include "txn/blocks/rs/rs_replica.h"
#include "txn/participant.h"
#include "txn/prism/access/without.h"
#include "txn/prism/buffers/buffer_stock.h"
#include "txn/prism/buffers/keeper.h"
#include "txn/prism/buffers/scavenger.h"
#include "txn/prism/clients.h"
#include "txn/prism/deaths/deaths.h"
#include "txn/prism/measures.h"
#include "txn/prism/nothing_at_rest.h"
#include "txn/prism/server_options.h"
#include "txn/system.h"

namespace verbena::txn::blocks {

/// Takes part as a server or a client. Only a server's cores, which carry out chains, access its
/// blocks. See Participant.
class RsNode final : public txn::Participant {
 public:
  /// Throws ConfigurationError for tables that cannot be laid out.
  RsNode(rdma::Endpoint& endpoint, const Deployment& deployment, const SystemInfo& info,
         const prism::ServerOptions& servers, const Options& options);

  /// Throws ConfigurationError if messages are too short.
  void start() override;
  std::unique_ptr<txn::Transaction> transaction(WorkerId worker, std::uint16_t fiber) override;
  std::vector<std::function<void()>> background(WorkerId worker) override;
  void measure(WorkerId worker, Nanoseconds from, Nanoseconds until) override {
    workers_[worker].measure(from, until);
  }
  Metrics& metrics(WorkerId worker) override { return workers_[worker].metrics(); }
  const History* history(WorkerId) const override { return nullptr; }
  txn::StateAtRest& state() override;

 private:
  /// Memory and services of a server.
  struct Blocks {
    Blocks(const RsLayout& layout, std::uint32_t low_water, rdma::Region& region,
           std::uint32_t workers);
    rdma::ChainServer server;
    std::optional<prism::Keeper> keeper;  // once the server has the region
    std::optional<prism::Scavenger> scavenger;
    std::optional<RsAtRest> state;
  };
  /// State of one worker of a client.
  struct Client {
    Client(rdma::Worker& worker, const std::vector<NodeId>& replicas, std::uint32_t fibers,
           prism::Deaths& deaths, const prism::ServerOptions& options);
    /// Buffers that it has; null where servers allocate them.
    prism::BufferStock* stock(std::uint32_t place) {
      return stocks.empty() ? nullptr : &stocks[place];
    }
    WorkerErrands errands;
    std::deque<rdma::BufferReports> reports;  // [place], apart since one may be silent
    std::deque<prism::BufferStock> stocks;    // likewise
  };

  void keep_blocks(std::uint32_t low_water);
  std::vector<std::shared_ptr<RsReplica>> asked_by(WorkerId worker, std::uint16_t fiber,
                                                   std::uint64_t number);
  std::uint64_t most_buffers_of(NodeId client) const;

  rdma::Endpoint& endpoint_;
  Deployment deployment_;
  Options options_;
  prism::Without without_;
  prism::Clients clients_;
  RsLayout layout_;
  prism::Deaths deaths_;
  std::deque<prism::WorkerMetrics> workers_;
  std::unique_ptr<Blocks> blocks_;
  std::deque<Client> asking_;  // [worker]
  prism::NothingAtRest nothing_;
};

}  // namespace verbena::txn::blocks
