// Buffers that dead clients have not given back.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "rdma/chain/operation_epochs.h"
#include "rdma/endpoint.h"
#include "rdma/prism/chain_server.h"
#include "txn/view.h"

namespace verbena::rdma {
class Worker;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

/// Returns the buffers of dead clients to a server's free lists, which the PRISM paper does not
/// cover. Messages of a client that is declared dead are dropped, and chains in flight end soon.
/// Then the server knows exactly which buffers that client holds (rdma::BufferHolders), and nobody
/// else will report these. A NIC that carries out chains notes nothing of the kind: there the
/// client's queue pairs are made to fail, and its buffers are lost. Used by worker 0, whose Keeper
/// calls it, except for has_ended().
class Scavenger {
 public:
  /// Returns the most buffers of each list that `client` can hold. Finding more is an error.
  using Most = std::function<std::uint64_t(NodeId client)>;

  /// Knowledge of which buffers a client holds. Of a server whose NIC carries out chains there is
  /// none.
  enum class Holders : std::uint8_t { kKnown, kUnknown };

  /// Serves a server with `lists` lists. All arguments must outlive this.
  Scavenger(rdma::Endpoint& endpoint, const View& view, rdma::ChainServer& server,
            std::size_t lists, Most most, Holders holders);

  /// Looks for deaths, and frees the buffers of dead clients whose last chains have ended.
  void look(rdma::Worker& worker);

  /// Frees the buffers of all dead clients, when no transaction runs any more.
  void finish(rdma::Worker& worker);

  /// Returns the most buffers of each list that dead clients may have had, and that are lost since
  /// the server does not know which.
  std::uint64_t most_lost() const;

  /// True once no chain of `client`, which has died, will be carried out here any more.
  /// Thread-safe.
  bool has_ended(NodeId client) const { return ended_[client].load(std::memory_order_acquire); }

 private:
  struct Dead {
    NodeId client;
    rdma::Epochs::InFlight in_flight;  // when the death was noticed
  };

  bool knows_holders() const { return holders_ == Holders::kKnown && !server_.by_nic(); }
  bool is_dead_client(NodeId node) const { return view_.computes(node) && endpoint_.is_dead(node); }
  void note_deaths();
  void free_all_of(NodeId client, rdma::Worker& worker);

  rdma::Endpoint& endpoint_;
  const View& view_;
  rdma::ChainServer& server_;
  const std::size_t lists_;
  const Most most_;
  const Holders holders_;
  std::uint32_t deaths_ = 0;  // number of deaths looked at
  std::vector<bool> noted_;   // [node]
  std::vector<Dead> waiting_;
  std::vector<std::atomic<bool>> ended_;  // [node]
};

/// Returns the most buffers of each list of a server that a client can hold. Each of its fibers
/// holds `objects` of its current attempt, and a batch that it is about to report. Each of its
/// workers holds one batch that is being collected, and `window` batches that have been sent.
std::uint64_t most_buffers(std::uint64_t workers, std::uint64_t fibers, std::uint64_t objects,
                           std::uint64_t window);

}  // namespace verbena::txn::prism
