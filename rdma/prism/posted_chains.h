// Chains as lists of work requests, which NICs carry out.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rdma/fibers/worker_thread.h"
#include "rdma/one_sided/connections.h"
#include "rdma/prism/chain_path.h"
#include "rdma/seam/prismdv.h"

namespace verbena::rdma {

/// Posts each chain as one list on one queue pair, once there is room for all of it, so that chains
/// of several fibers do not mix. Each operation has a completion, which tells its outcome.
class PostedChains final : public ChainCarrier, private CompletionSink {
 public:
  PostedChains(WorkerThread& thread, Connections& connections);
  /// May be destroyed with requests in flight (while an exception unwinds).
  ~PostedChains() override;
  PostedChains(const PostedChains&) = delete;
  PostedChains& operator=(const PostedChains&) = delete;

  void send(NodeId server, RegionId region, std::span<Operation* const> operations,
            Doorbell doorbell) override;
  void flush(Doorbell /*doorbell*/) override {}
  void wait() override;
  void take(std::uint32_t chain, std::span<Operation* const> operations,
            std::span<OperationResult> results) override;
  void clear() override;

 private:
  /// Memory of a chain: first room for its results, then copies of what it writes.
  struct Sent {
    std::uint32_t first;  // in done_
    BufferId buffer;      // kNoBuffer: it needs none
  };
  struct Done {
    std::uint16_t channel;
    std::uint16_t number;
    ChainOutcome outcome;
    std::uint32_t length;
    const std::byte* result;
    bool open;  // on its way
  };

  void completed(const ibv_wc& completion) override;
  Sent make_room(std::span<Operation* const> operations);
  void build(std::uint32_t key, std::span<Operation* const> operations, const Sent& sent);
  int post(ibv_qp* qp, std::span<const std::uint64_t> ids, std::uint32_t first,
           std::uint32_t& posted);

  WorkerThread& thread_;
  Connections& connections_;
  std::uint16_t owner_;
  std::vector<Sent> sent_;  // [chain]
  std::vector<Done> done_;  // an operation each
  // Room to build a chain in.
  std::vector<prismdv_send_wr> requests_;
  std::vector<prismdv_cas> operands_;
  std::vector<ibv_sge> sources_;
};

}  // namespace verbena::rdma
