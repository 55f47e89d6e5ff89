// The simulated cluster: its NICs, and the handling of their events.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rdma/seam/fabric.h"
#include "simnic/engine/slab.h"
#include "simnic/engine/timeline.h"
#include "simnic/nic/machine.h"
#include "simnic/nic/nic.h"
#include "simnic/nic/objects.h"
#include "simnic/nic/observation.h"
#include "simnic/nic/request_pool.h"
#include "simnic/nic/sim_options.h"
#include "simnic/observe/observer.h"
#include "simnic/profile/profile.h"
#include "simnic/wire/topology.h"

namespace verbena::simnic {

/// The model's heart. One thread; time only moves inside `advance`. The implementation is split by
/// concern: cluster.cc (nodes and events), queue_pair.cc, requester.cc, responder.cc,
/// completion.cc, retransmission.cc, memory.cc, memory_lines.cc, stations.cc, station_use.cc,
/// warm_caches.cc.
class Cluster final : private CoreHost {
 public:
  explicit Cluster(const SimOptions& options);
  ~Cluster() override;
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  /// Sets the network. Must be called once, before anything is sent. Not owned.
  void set_topology(Topology* topology) { topology_ = topology; }
  /// Asks the topology again for each way that a message takes from now on (stations.cc).
  void forget_ways();

  // --- Cores and time (cluster.cc).

  /// Time and cores of the cluster.
  Timeline& timeline() { return time_; }
  const Timeline& timeline() const { return time_; }
  Picoseconds now() const { return time_.now(); }
  const FabricProfile& fabric() const { return fabric_; }
  const Machine& machine(NodeId node) const { return *machine_of_[node]; }
  bool chaos() const { return options_.chaos; }
  /// True if a NIC sends nothing since its node has died. In chaos mode a NIC outlives the process,
  /// and sends what the process had posted.
  bool silent(const Nic& nic) const { return nic.off && !chaos(); }
  const SimOptions& options() const { return options_; }
  /// Returns the observer; null when there is none.
  Observer* observer() const { return observation_.observer(); }
  Observation& observation() { return observation_; }

  void schedule(Picoseconds time, EventKind kind, const Request& request) {
    time_.schedule(time, kind, request.number, request.generation);
  }
  RequestPool& requests() { return requests_; }

  /// Gives every task a core; they run from the next `advance` on.
  void start(std::vector<rdma::CoreTask> tasks);
  /// Handles events as Timeline::advance says.
  Timeline::Progress advance(Picoseconds limit, bool may_end);
  /// Unwinds the cores that have not finished and forgets all.
  void stop();

  // --- Use of stations and cores so far (station_use.cc).

  rdma::FabricUse use() const;
  /// Returns the place of a station of `use`.
  std::string place_of(const rdma::StationUse& station) const;
  std::optional<NodeId> node_of(const rdma::StationUse& station) const;

  Nic& nic(std::uint32_t number) { return *nics_[number]; }
  const std::vector<std::unique_ptr<Nic>>& nics() const { return nics_; }
  Nic* find_nic(std::uint16_t lid) const;
  Nic* find_nic(const ibv_gid& gid) const;

  /// Fills the NICs' caches with existing memory and queue pairs, in an order that `seed` draws, as
  /// if all of them had been used alike for long (warm_caches.cc).
  void fill_caches(std::uint64_t seed);

  // --- Queue pairs (queue_pair.cc).

  QueuePair* create_queue_pair(ProtectionDomain& pd, const ibv_qp_init_attr& attributes);
  void destroy_queue_pair(QueuePair& qp);
  /// Returns the doorbell register of its context that the next queue pair in `pd` rings.
  std::uint16_t choose_register(const ProtectionDomain& pd) const;
  /// Makes `qp` ring `reg`.
  void give_register(QueuePair& qp, DoorbellRegister& reg);
  /// Allows others to ring the doorbell register of `qp`, too.
  void share_register(QueuePair& qp);
  /// Empties both queues and sets counters as after creation. Nothing completes.
  void reset_queue_pair(QueuePair& qp);
  /// Puts `qp` into the error state: everything outstanding is flushed, in order.
  void fail_queue_pair(QueuePair& qp);
  ReceiveQueue& receive_queue(QueuePair& qp);
  /// Tells that the queue pair has come to RTS: requests posted while its send queue was drained go
  /// on.
  void send_queue_enabled(QueuePair& qp) { issue_ready(qp); }
  /// Takes the entries of `qp` out of `cq`.
  void remove_completions(CompletionQueue& cq, const QueuePair& qp) const;

  void add_shared_receive_queue(SharedReceiveQueue* srq) { shared_receive_queues_.push_back(srq); }
  void remove_shared_receive_queue(SharedReceiveQueue* srq) {
    std::erase(shared_receive_queues_, srq);
  }
  void add_completion_queue(CompletionQueue* cq) { completion_queues_.push_back(cq); }
  void remove_completion_queue(CompletionQueue* cq) { std::erase(completion_queues_, cq); }

 private:
  // --- cluster.cc
  void set_up_nodes();
  /// Lets `node` die at once: its cores never run again, its NICs neither send nor answer, and what
  /// they have sent arrives. In chaos mode as rdma::CrashPoint says.
  void crash(NodeId node, Picoseconds late) override;
  void watch(const ibv_mr& memory, SimCore& core) override;
  void handle(const TimedEvent& event);
  void prefetch();
  void prefetch_referred(const TimedEvent* event);
  Request* current_request(const TimedEvent& event);

  // --- requester.cc
  void doorbell_arrives(Request& first);
  /// Issues all requests that may be issued.
  void issue_ready(QueuePair& qp);
  void issue(QueuePair& qp, Request& request);
  /// Sends a copy of a UC or UD request, and completes without waiting for the peer. The message
  /// leaves the port at `sent`, after waiting for `wait`.
  void issue_unreliable(Request& request, Picoseconds wait, Picoseconds sent, Picoseconds arrival);
  void send_datagram(Request& packet, Picoseconds arrival);

  // --- retransmission.cc
  /// Draws and counts the loss of a message between these NICs; true if it is lost.
  bool loses_on_the_way(Nic& from, const Nic& to) const;
  /// Lets the requester's timer run for `request`, which nothing will answer.
  void request_lost(Request& request);
  void retry(Request& request);
  Request* oldest_lost(const QueuePair& qp, const Request& end);
  bool waits_behind_another(const QueuePair& qp, const Request& request);
  /// Makes `from` and all later requests unissued again.
  void rewind(QueuePair& qp, Request& from);
  /// Returns the time at which the requester of `request` gets it; `kNeverPs`: lost.
  Picoseconds send_negative_acknowledgement(Nic& from, const Request& request);
  void arrives_out_of_order(Request& request, QueuePair& peer);
  void refuse_not_ready(Request& request, QueuePair& peer);

  // --- responder.cc
  void request_arrives(Request& request);
  /// Makes `request`, whose sender has died since, arrive later, or loses it; in chaos mode, once
  /// per request. Returns true if it did.
  bool strays(Request& request);
  void message_arrives(Request& message);
  QueuePair* responder_of(Request& request);
  void promise_receive(Request& request, QueuePair& peer);
  /// Handles a `request` whose responder's queue pair was destroyed before it took effect.
  void peer_vanished(Request& request);
  /// Sets `region` to the one that `request` accesses, if any.
  ibv_wc_status check_remote(const Request& request, const QueuePair& peer,
                             const Region*& region) const;
  /// Returns when `request` accesses the responder's memory: `region`, or none.
  Picoseconds effect_time(Request& request, QueuePair& peer, const Region* region);
  /// Sends a NAK, with which the requester completes with `status`.
  void refuse(Request& request, QueuePair& peer, ibv_wc_status status);
  void take_back(Request& request);
  void memory_effect(Request& request);
  void memory_line(Request& request);
  bool split_effect(Request& request);
  /// Schedules the access of a request's next line, maybe after others have come.
  void schedule_line(Request& request, const Region& region);
  void note_access(const std::byte* at);
  /// True while `request` waits for others to come; it then checks again later.
  bool waits_for_others(Request& request);
  void access_remote(Request& request, Region& region);
  void wake_watcher(const Request& request, const Region& region);
  void finish_effect(Request& request, QueuePair& peer);
  /// Takes the message to a receive request of `peer`, which completes. Returns the status for the
  /// requester.
  ibv_wc_status deliver(Request& request, QueuePair& peer);
  void respond(Request& request);

  // --- completion.cc
  void completes(Request& request);
  void fails(Request& request);
  /// Completes `request` with `status` once those before it have completed.
  void fail_request(Request& request, ibv_wc_status status);
  /// Handles the answer of `request`.
  void answered(QueuePair& qp, Request& request);
  void retire(QueuePair& qp);
  void complete_send(QueuePair& qp, const Request& request, ibv_wc_status status);
  /// Returns a place at the end of `cq` for a completion of `qp`; null when `cq` is full. The
  /// caller fills its members at once, since copying a completion just made would stall the
  /// processor.
  Completion* new_completion(CompletionQueue& cq, QueuePair& qp) const;
  void flush(QueuePair& qp);
  void pop(ReceiveQueue& queue);

  // --- stations.cc
  /// Asks the topology; returns the value for `path_of_`.
  std::uint32_t port_link(Nic& nic);
  std::uint32_t new_path(const Nic& from, Nic& to);
  /// Hands a message of `bytes` of payload, `header` bytes per packet and `extra` bytes once, to
  /// the port of `from`. Returns latency and serialization, or kNeverPs when a link of the route is
  /// down. Like the functions below it raises `wait` to the delay of the longest queue met:
  /// stations work as a pipeline, so delays do not add up. Sets `until_port` to the wait up to
  /// leaving the port, without the queues on the way.
  Picoseconds transmit(Nic& from, Nic& to, std::int64_t header, std::int64_t extra,
                       std::int64_t bytes, Picoseconds& wait, Picoseconds* until_port = nullptr);
  /// Time that a processing unit spends on `bytes` of payload, beyond the message itself.
  static Picoseconds processing_time(const NicProfile& p, std::int64_t bytes);
  /// Looks up the NIC's caches. A miss adds to `service`, the time of the processing unit, and
  /// returns the latency of a DMA read.
  void bring_in(Nic& nic, QueuePair& qp, SplitMix& random);
  Picoseconds queue_pair_state(Nic& nic, QueuePair& qp, Picoseconds& service, Picoseconds& wait);
  Picoseconds translation(Nic& nic, const Region& region, std::uint64_t address,
                          std::uint64_t bytes, Picoseconds& service, Picoseconds& wait);
  Picoseconds request_state(Nic& nic, Picoseconds& service, Picoseconds& wait);
  Picoseconds dma_read(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait);
  Picoseconds dma_write(Station station, Nic& nic, std::int64_t bytes, Picoseconds& wait);
  /// Fetches a receive request. They come ahead, one cache line of them at a time, so this costs
  /// bytes and no time.
  void fetch_receive_request(Nic& nic, Picoseconds& wait);

  // --- memory.cc
  Region* local_region(const QueuePair& qp, std::uint32_t key, std::uint64_t address,
                       std::uint64_t bytes, bool write) const;
  bool local_pieces_valid(const QueuePair& qp, const Request& request, bool write) const;
  /// Copies a request's local pieces, which must be valid, to `to`.
  void gather(const Request& request, std::byte* to);
  /// Copies `from` to a request's local pieces, which must be valid.
  void scatter(const Request& request, const std::byte* from);
  enum class Scattered { kDone, kTooLong, kNotAllowed };
  /// Copies a message behind the first `skip` bytes of the pieces of `receive`.
  Scattered scatter(const QueuePair& qp, const ReceiveRequest& receive, const std::byte* from,
                    std::uint32_t bytes, std::uint32_t skip);

  SimOptions options_;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::vector<const Machine*> machine_of_;  ///< by node
  std::vector<std::uint32_t> cores_of_;     ///< by node
  FabricProfile fabric_{};
  Timeline time_;
  Topology* topology_ = nullptr;
  Observation observation_;
  std::vector<std::unique_ptr<Nic>> nics_;
  std::size_t nic_count_ = 0;

  Picoseconds crash_late_ = 0;  ///< see crash()

  RequestPool requests_;
  Slab<QueuePair> queue_pairs_;  ///< by handle
  std::vector<CompletionQueue*> completion_queues_;
  std::vector<SharedReceiveQueue*> shared_receive_queues_;

  /// [from, to]: 1 + the beginning of the route in routes_; 0: not asked for. Most pairs of a large
  /// cluster never meet, and memory never written to takes no place.
  std::unique_ptr<std::uint32_t[], decltype(&std::free)> path_of_{nullptr, &std::free};
  std::vector<std::uint32_t> routes_;  ///< routes of all pairs of NICs that have met, end to end
};

}  // namespace verbena::simnic
