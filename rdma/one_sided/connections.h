// The RC queue pairs of one worker: posting one-sided requests, and handling their completions.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/random.h"
#include "rdma/base/types.h"
#include "rdma/device/peer_table.h"
#include "rdma/device/send_queue.h"
#include "rdma/device/work_request_id.h"
#include "rdma/device/worker_context.h"
#include "rdma/device/worker_counters.h"
#include "rdma/fibers/fiber_scheduler.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/one_sided/request_batch.h"

namespace verbena::rdma {

/// Learns of the completions of its own requests.
class CompletionSink {
 public:
  /// Takes a completion, of success or not, before whoever waits goes on.
  virtual void completed(const ibv_wc& completion) = 0;

 protected:
  ~CompletionSink() = default;
};

/// The machinery below RequestBatch. Worker-local. Nothing here allocates, locks or enters the
/// kernel per request once vectors and pools have grown to what a workload needs.
class Connections {
 public:
  explicit Connections(const WorkerContext& context);
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Takes over the connected queue pairs, after bring-up.
  void connected(const PeerTable& peers);

  /// Posts the requests of `batch`. Suspends the fiber while there is no room.
  void post(RequestBatch& batch, Doorbell doorbell, bool passive);

  /// Suspends the fiber until nothing that owner `number` posted is in flight. Returns the channel
  /// on which something has failed, if any.
  std::optional<std::size_t> wait(std::uint16_t number);

  /// Throws the failure of a channel: PeerMissing when the peer did not answer, else VerbsError.
  [[noreturn]] void throw_failure(std::size_t number) const;

  /// Throws, as throw_failure does, when a queue pair to `peer` has failed.
  void check_peer(NodeId peer) const;

  /// Returns the number of a new owner. Throws std::logic_error on unreliable queue pairs, where
  /// nothing answers requests.
  std::uint16_t add_owner();
  /// Removes an owner; gives `buffers` back when nothing of it is in flight any more.
  void remove_owner(std::uint16_t number, std::vector<BufferId> buffers);

  /// True if something that owner `number` waits for is in flight.
  bool waits(std::uint16_t number) const { return owners_[number].pending > 0; }

  /// Tells `sink`, which may be null, of the completions of owner `number`.
  void tell_completions(std::uint16_t number, CompletionSink* sink) { owners_[number].sink = sink; }

  /// Posts a list of requests, each with its wr_id, on a queue pair, and sets the number of those
  /// that the device took. Returns errno.
  using PostList =
      std::function<int(ibv_qp* qp, std::span<const std::uint64_t> ids, std::uint32_t& posted)>;
  /// Has `post` post `count` requests, each signaled, to the peer at `place`, for which `owner`
  /// then waits. Suspends the fiber until the send queue has room for all of them. Throws as
  /// RequestBatch::post.
  void post_list(std::uint16_t place, std::uint32_t count, std::uint16_t owner,
                 const PostList& post);

  /// Takes a buffer of local registered memory; suspends the fiber until there is one.
  BufferId take_staging(std::size_t bytes);
  Buffer& staging(BufferId buffer) { return staging_[buffer]; }
  void release_staging(BufferId buffer) { staging_.give_back(buffer); }

  /// Handles a polled completion of one of the RC queue pairs.
  void complete(const ibv_wc& completion);

  /// True if polling could find something.
  bool in_flight() const { return outstanding_ > 0; }

  /// Posts a signaled READ on queue pairs whose last requests would stay without completion, on at
  /// most `channels` that work. Returns true when no such queue pair is left.
  bool flush_unsignaled(std::size_t channels);

  /// True if everything posted to peers that are not dead has completed. Throws, as throw_failure
  /// does, when a passive request has failed.
  bool idle() const;

  /// Returns one of the queue pairs to `peer`. Throws std::logic_error when there is no connection.
  ibv_qp* queue_pair(NodeId peer, std::uint32_t index) const {
    return channels_[std::size_t{peers_->connected_place(peer)} * queue_pairs_per_peer_ + index].qp;
  }

  /// Returns one of the queue pairs of a link (ClusterLinks::link_number), also of a link by which
  /// this worker only answers.
  ibv_qp* queue_pair_of_link(std::uint16_t link, std::uint32_t index) const {
    const std::size_t number = std::size_t{link} * queue_pairs_per_peer_ + index;
    if (number < channels_.size()) return channels_[number].qp;
    return verbs_.connected[number - channels_.size()].get();
  }

  std::uint32_t local_key() const { return local_key_; }
  std::uint32_t inline_bytes() const { return verbs_.inline_bytes; }
  const PeerTable& peers() const { return *peers_; }
  /// Returns the remote key of `region` at the node of `place`.
  std::uint32_t remote_key(std::uint16_t place, RegionId region) const {
    return remote_keys_[std::size_t{place} * peers_->regions + region];
  }

  /// Path of the requests that NICs do not carry out; null when NICs carry out all. `path` is null
  /// or outlives the batches that are made.
  CorePath* core_path() const { return core_path_; }
  void go_by(CorePath* path) { core_path_ = path; }

  WorkerMemory& memory() { return memory_; }
  const WorkerVerbs& verbs() const { return verbs_; }
  std::uint32_t queue_pairs_per_peer() const { return queue_pairs_per_peer_; }
  /// Returns the name of a queue pair's peer for an error.
  std::string describe(NodeId peer) const { return health_.describe(peer); }

  WorkerCounters counters;

 private:
  // Half a cache line, since each request needs one of perhaps many.
  struct alignas(kCacheLineBytes / 2) Channel {
    ibv_qp* qp;  // owned
    SendNumbers queue;
    BufferId first_ticket = kNoBuffer;  // staging buffers in use, in the order of their requests
    BufferId last_ticket = kNoBuffer;
    bool failed = false;
  };
  static_assert(sizeof(Channel) == kCacheLineBytes / 2);
  struct Failure {  // the first of a channel
    std::uint16_t channel;
    ibv_wc_status status;
    std::uint32_t vendor_error;
  };
  struct Owner {
    std::uint32_t pending = 0;  // chains in flight
    FiberId waiter = kNoFiber;
    std::int32_t failed_channel = -1;
    std::uint16_t generation = 0;
    bool removed = false;
    CompletionSink* sink = nullptr;
    std::vector<BufferId> buffers;
  };

  struct WorkRequest {
    ibv_send_wr wr;
    ibv_sge sge[2];
  };

  std::uint32_t choose_channel(std::uint16_t place);
  void wait_for_room();
  void post_chain(RequestBatch& batch, const OneSidedChain& chain, Doorbell doorbell,
                  std::uint16_t owner);
  void post_some(RequestBatch& batch, std::uint32_t& next, std::uint32_t count,
                 std::uint32_t channel, std::uint16_t owner, bool whole);
  void take_back(Channel& channel, const ibv_send_wr* unposted);
  void stage_sources(RequestBatch& batch, std::uint32_t index, std::uint32_t count);
  void add_ticket(Channel& channel, BufferId buffer, std::uint32_t number);
  void submit(Channel& channel, ibv_send_wr* first);
  void post_flush(std::size_t number, std::uint16_t owner);
  void abandon_chain(std::size_t number, std::uint16_t owner);
  void drop_requests(RequestBatch& batch);
  void free_owner(std::uint16_t number);
  NodeId peer_of(std::size_t channel) const {
    return peers_->peers[channel / queue_pairs_per_peer_];
  }

  WorkerThread& thread_;
  WorkerVerbs& verbs_;
  const PeerHealth& health_;
  const EndpointOptions& options_;
  WorkerMemory& memory_;
  BufferPool staging_;
  const PeerTable* peers_ = nullptr;
  const std::uint32_t* remote_keys_ = nullptr;
  std::uint32_t local_key_ = 0;
  std::uint32_t queue_pairs_per_peer_;
  std::uint32_t depth_;            // of send queues
  std::uint32_t signal_interval_;  // at least every so-manieth request of a channel is signaled
  bool signal_all_;
  bool in_turn_;
  std::vector<std::uint32_t> turns_;  // [place]: the last one that was taken in turn
  SplitMix choices_;                  // chooses among them at random
  std::uint64_t outstanding_ = 0;     // requests without completion
  std::vector<Channel> channels_;     // [place * qps_per_peer + index]
  // Room to build a chain in. Posting copies it; each worker has its own, since others may run
  // meanwhile.
  std::vector<WorkRequest> chain_;
  std::vector<std::uint64_t> ids_;  // of a list that is being posted
  std::vector<Owner> owners_;       // [0] is kNoOwner
  std::vector<std::uint16_t> free_owners_;
  std::vector<FiberId> blocked_;
  std::vector<Failure> failed_;
  std::size_t flush_cursor_ = 0;
  CorePath* core_path_ = nullptr;
};

}  // namespace verbena::rdma
