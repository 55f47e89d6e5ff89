// The objects that a program holds through verbs, with what the model keeps of each.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rdma/base/cache_line.h"
#include "simnic/driver_lock.h"
#include "simnic/stations.h"

namespace verbena::rdma {
class FirstTouchMemory;
}

namespace verbena::simnic {

class Cluster;
class SimCore;
struct Nic;

inline constexpr std::uint32_t kNone = UINT32_MAX;
/// Packet sequence numbers have 24 bits.
inline constexpr std::uint32_t kPsnMask = 0xff'ffff;

struct Device : ibv_device {
  Nic* nic = nullptr;
};

struct QueuePair;

/// A doorbell register, as the lock that its users take.
struct DoorbellRegister {
  DriverLock lock;
  QueuePair* only = nullptr;  ///< the first queue pair that rings it, while there was no second
  bool given = false;         ///< to a queue pair, now or before
};

struct VerbsContext : ibv_context {
  Nic* nic = nullptr;
  Cluster* cluster = nullptr;
  std::vector<std::unique_ptr<DoorbellRegister>> registers;  ///< thread domains' last
  std::uint32_t thread_registers = 0;                        ///< of them those of thread domains
  std::uint32_t queue_pairs = 0;                             ///< created so far on registers of all
  std::uint32_t objects = 0;                                 ///< alive
};

/// A promise that one thread at a time uses what is created in it; it has a doorbell register of
/// its own.
struct ThreadDomain : ibv_td {
  std::uint16_t doorbell_register = 0;  ///< of its context
  std::uint32_t objects = 0;
};

/// A protection domain, or a parent domain: another name for a protection domain, with a thread
/// domain.
struct ProtectionDomain : ibv_pd {
  std::uint32_t objects = 0;
  ProtectionDomain* parent = nullptr;     ///< the protection domain that it stands for
  ThreadDomain* thread_domain = nullptr;  ///< null: none

  /// The protection domain that keys are checked against.
  static const ibv_pd* root(const ibv_pd* pd) {
    const auto* own = static_cast<const ProtectionDomain*>(pd);
    return own->parent != nullptr ? own->parent : own;
  }
};

struct MemoryRegion : ibv_mr {
  std::uint32_t number = 0;  ///< on its NIC
};

/// A memory region as a NIC looks it up: one cache line.
struct alignas(kCacheLineBytes) Region {
  std::uint64_t start = 0;
  std::uint64_t bytes = 0;
  const ibv_pd* pd = nullptr;
  rdma::FirstTouchMemory* first_touch = nullptr;
  SimCore* watcher = nullptr;  ///< the core that looks for what is written here
  std::uint32_t key = 0;       ///< 0: not registered
  int access = 0;

  std::uint64_t offset_of(std::uint64_t address) const { return address - start; }
  bool covers(std::uint64_t address, std::uint64_t length) const {
    const std::uint64_t offset = offset_of(address);
    return offset <= bytes && length <= bytes - offset;
  }
};

/// One entry of a completion queue.
struct Completion {
  std::uint64_t wr_id;
  QueuePair* queue_pair;
  std::uint32_t byte_count;
  std::uint32_t immediate;  ///< in network order
  std::uint32_t source_qp;
  std::uint32_t sent;  ///< send queue: requests up to here have left their slots
  std::uint16_t source_lid;
  std::uint8_t status;
  std::uint8_t opcode;  ///< index into kCompletionOpcodes
  std::uint8_t flags;
  bool receive : 1;
  bool holds_data : 1;  ///< which polling copies to where it belongs
};

/// A completion queue. Members that each completion needs lie in one cache line.
struct CompletionQueue : ibv_cq {
  alignas(kCacheLineBytes) Nic* nic = nullptr;
  SimCore* poller = nullptr;     ///< the core that polled it last
  std::vector<Completion> ring;  ///< a power of two; grows up to what `cqe` entries need
  std::uint32_t head = 0;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;     ///< as `cqe`
  std::uint32_t queue_pairs = 0;  ///< that use it

  /// Takes out the first `entries`.
  void drop(std::uint32_t entries) {
    count -= entries;
    // An empty ring begins anew where the processor's caches have it.
    head = count == 0 ? 0 : (head + entries) & static_cast<std::uint32_t>(ring.size() - 1);
  }
  /// Doubles the ring.
  void grow() {
    std::vector<Completion> larger(std::max<std::size_t>(16, 2 * ring.size()));
    for (std::uint32_t i = 0; i < count; ++i) larger[i] = ring[(head + i) & (ring.size() - 1)];
    ring = std::move(larger);
    head = 0;
  }
};

/// Work requests that tell where to put received messages, of a queue pair or an SRQ.
struct ReceiveRequest {
  std::uint64_t wr_id;
  std::vector<ibv_sge>*
      scattered;  ///< from the cluster's pool, set when there is more than one piece
  std::uint64_t address;
  std::uint32_t length;
  std::uint32_t key;
};

struct ReceiveQueue {
  std::vector<ReceiveRequest> ring;  ///< a power of two; grows up to what `capacity` needs
  std::uint32_t head = 0;
  std::uint32_t count = 0;     ///< posted and not yet consumed by a message
  std::uint32_t occupied = 0;  ///< posted and not yet polled
  std::uint32_t capacity = 0;
  std::uint32_t promised =
      0;  ///< of `count`, for messages that have arrived and are not yet in memory
  std::uint32_t max_sge = 0;

  bool ready() const { return count > promised; }

  /// Doubles the ring.
  void grow() {
    std::vector<ReceiveRequest> larger(std::max<std::size_t>(16, 2 * ring.size()));
    for (std::uint32_t i = 0; i < count; ++i) larger[i] = ring[(head + i) & (ring.size() - 1)];
    ring = std::move(larger);
    head = 0;
  }
};

struct SharedReceiveQueue : ibv_srq {
  ReceiveQueue queue;
  std::uint32_t queue_pairs = 0;
};

struct AddressHandle : ibv_ah {
  Nic* to = nullptr;
  bool global = false;  ///< datagrams carry a global route header
};

/// A queue pair. Begins like ibv_qp and leaves out the end of it, which only libibverbs itself uses
/// (a mutex and a condition variable): a large cluster has millions, most of them idle. Each
/// paragraph of members is a cache line: that of their own requests' posting, that of other queue
/// pairs' requests, completing and polling, which need nothing else beside the first.
struct alignas(kCacheLineBytes) QueuePair {
  // As in ibv_qp.
  ibv_context* context;
  void* qp_context;
  ibv_pd* pd;
  ibv_cq* send_cq;
  ibv_cq* recv_cq;
  ibv_srq* srq;
  std::uint32_t handle;  ///< the queue pair's number in the cluster
  std::uint32_t qp_num;
  ibv_qp_state state;
  ibv_qp_type qp_type;

  // For executing, completing and polling requests.
  Nic* nic;
  Nic* peer_nic;
  Picoseconds last_effect;      ///< of the peer's requests, on our memory
  Picoseconds last_completion;  ///< of our requests
  std::uint32_t peer_qp;
  std::uint32_t cache_slot;         ///< in the NIC's cache of queue pairs, or kNowhere
  std::uint32_t expected_psn : 24;  ///< of the next request to execute
  std::uint32_t gap_reported : 1;   ///< to the peer: that a request is missing
  std::uint32_t retries : 3;
  std::uint32_t rnr_retries : 4;
  std::uint32_t freed;  ///< of the requests posted, those whose slots polling has freed
  // Requests that are not retired form a list in order; those before `unissued` have left.
  std::uint32_t oldest;
  std::uint32_t unissued;
  std::uint32_t visible;  ///< unissued requests that a doorbell has announced
  std::uint8_t access;
  std::uint8_t max_peer_reads;
  bool signal_all : 1;
  bool waiting : 1;              ///< for a retry timer
  std::uint8_t unit : 6;         ///< the NIC's processing unit that serves it
  std::uint8_t reads_in_flight;  ///< and atomics

  // For posting and issuing.
  QueuePair* peer;            ///< where the peer was last seen
  Picoseconds last_sent;      ///< when it was at the peer; of a datagram, when it left the port
  Picoseconds last_doorbell;  ///< at the NIC
  DoorbellRegister* doorbell;
  std::unique_ptr<DriverLock> lock;  ///< made when a second core posts
  std::uint32_t posted;              ///< ever
  std::uint32_t newest;              ///< of the list of requests; means nothing when that is empty
  std::uint32_t send_capacity;
  std::uint32_t send_psn;  ///< of the next request to issue
  std::uint16_t max_inline;
  std::uint16_t poster;  ///< the core that posted last, by worker; kNobody: none
  std::uint8_t max_reads;
  std::uint8_t max_send_sge;
  /// True if no other queue pair and no other core than `poster` has ever rung `doorbell`, which
  /// then knows nothing of `poster`.
  bool rings_alone;

  // All else.
  std::unique_ptr<ReceiveQueue> receive_queue;  ///< made by the first use; null with an SRQ
  std::uint32_t qkey;
  std::uint32_t receive_capacity;
  std::uint8_t retry_limit;
  std::uint8_t rnr_retry_limit;
  std::uint8_t rnr_timer;
  std::uint8_t timeout;
  std::uint8_t max_receive_sge;
  std::uint8_t path_mtu;

  static constexpr std::uint16_t kNobody = UINT16_MAX;

  ibv_qp* handle_for_user() { return reinterpret_cast<ibv_qp*>(this); }
  static QueuePair* of(ibv_qp* qp) { return reinterpret_cast<QueuePair*>(qp); }
  CompletionQueue& sends() const { return *static_cast<CompletionQueue*>(send_cq); }
  CompletionQueue& receives() const { return *static_cast<CompletionQueue*>(recv_cq); }
};
static_assert(offsetof(QueuePair, context) == offsetof(ibv_qp, context));
static_assert(offsetof(QueuePair, qp_context) == offsetof(ibv_qp, qp_context));
static_assert(offsetof(QueuePair, pd) == offsetof(ibv_qp, pd));
static_assert(offsetof(QueuePair, send_cq) == offsetof(ibv_qp, send_cq));
static_assert(offsetof(QueuePair, recv_cq) == offsetof(ibv_qp, recv_cq));
static_assert(offsetof(QueuePair, srq) == offsetof(ibv_qp, srq));
static_assert(offsetof(QueuePair, handle) == offsetof(ibv_qp, handle));
static_assert(offsetof(QueuePair, qp_num) == offsetof(ibv_qp, qp_num));
static_assert(offsetof(QueuePair, state) == offsetof(ibv_qp, state));
static_assert(offsetof(QueuePair, qp_type) == offsetof(ibv_qp, qp_type));
static_assert(offsetof(QueuePair, nic) == kCacheLineBytes);
static_assert(offsetof(QueuePair, peer) == 128);
static_assert(offsetof(QueuePair, receive_queue) == 192);
static_assert(sizeof(QueuePair) <= 256);

/// A work request on its way, or a datagram. Exactly one event in the queue speaks of it; an event
/// whose tag is not `generation` is stale. What most events need comes first.
struct alignas(kCacheLineBytes) Request {
  QueuePair* queue_pair;  ///< of the requester; null for what outlives it (datagrams, UC messages)
  Nic* from;
  Nic* to;
  QueuePair* peer;  ///< where the responder's queue pair was last seen; may be another one by now
  std::uint64_t remote_address;
  std::uint32_t remote_key;
  std::uint32_t bytes;
  std::uint32_t generation = 0;
  std::uint32_t number;  ///< its own
  std::uint8_t opcode;
  std::uint8_t status;
  bool signaled : 1;
  bool inlined : 1;
  bool fenced : 1;
  bool done : 1;
  bool counted : 1;  ///< among `reads_in_flight`
  bool with_immediate : 1;
  bool accepted : 1;  ///< has its place in the responder's order, and its receive request
  bool executed : 1;  ///< has taken effect there
  bool datagram : 1;
  bool global : 1;         ///< datagram with a global route header
  bool blueflame : 1;      ///< its doorbell carried it
  bool far : 1;            ///< of a core on another socket than the NIC's
  bool stray : 1;          ///< its sender has died, and it has been decided when it arrives
  bool in_completion : 1;  ///< its result comes in the completion queue's entry
  std::uint8_t fetch;  ///< lines of the DMA read that fetches it, of those behind it, too; 0: it
                       ///< came before
  std::uint32_t next;  ///< on its send queue

  std::byte* payload;  ///< from the payload pool, `payload_bytes`; null when there is none
  std::uint64_t wr_id;
  std::uint64_t local_address;
  std::uint32_t payload_bytes;
  std::uint32_t local_key;
  std::uint32_t send_index;  ///< `posted` of the queue pair after it
  std::uint32_t psn;
  std::uint32_t source_qp;
  std::uint32_t peer_qp;
  std::vector<ibv_sge>* scattered;  ///< more than one local piece
  std::uint32_t announced;          ///< how many requests its doorbell announces
  std::uint32_t immediate;

  std::uint64_t operand[2];  ///< compare or add, swap
  std::uint64_t found;       ///< by an atomic
  /// Where a receive request is set aside for it, if an SRQ; only of what takes receive requests.
  SharedReceiveQueue* promised_by;
  std::uint32_t qkey;
  std::uint16_t lines_done;  ///< chaos: memory accesses made, of `lines`
  std::uint16_t lines;
  std::uint16_t first_line;
};

inline bool is_read(const Request& request) { return request.opcode == IBV_WR_RDMA_READ; }
inline bool is_atomic(const Request& request) { return request.opcode > IBV_WR_RDMA_READ; }

}  // namespace verbena::simnic
