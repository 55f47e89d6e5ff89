// Chains as calls of the cores of their servers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/prism/chain_path.h"
#include "rdma/rpc/rpc_batch.h"

namespace verbena::rdma {

class Rpc;

/// The client's side of the software executor (PRISM paper, section 4.1): each chain is a call. See
/// ChainServer.
class CalledChains final : public ChainCarrier {
 public:
  explicit CalledChains(Rpc& rpc) : rpc_(rpc), calls_(rpc) {}

  void send(NodeId server, RegionId region, std::span<Operation* const> operations,
            Doorbell doorbell) override;
  void flush(Doorbell doorbell) override { calls_.post(doorbell); }
  void wait() override { calls_.wait(); }
  void take(std::uint32_t chain, std::span<Operation* const> operations,
            std::span<OperationResult> results) override;
  void clear() override { calls_.clear(); }

 private:
  std::size_t checked_bytes(std::span<Operation* const> operations) const;

  Rpc& rpc_;
  RpcBatch calls_;  // [chain]
};

}  // namespace verbena::rdma
