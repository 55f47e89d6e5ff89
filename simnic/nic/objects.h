// The verbs objects of a program, with the model's state of each.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "rdma/base/cache_line.h"
#include "rdma/base/time.h"
#include "simnic/engine/driver_lock.h"
#include "simnic/engine/polled_queue.h"
#include "simnic/nic/message.h"
#include "simnic/nic/order_waits.h"

namespace verbena::rdma {
class BufferMemory;
class FirstTouchMemory;
}  // namespace verbena::rdma

namespace verbena::simnic {

class Node;
class SimCore;
struct Nic;

inline constexpr std::uint32_t kNone = UINT32_MAX;

struct Device : ibv_device {
  Nic* nic = nullptr;
};

struct QueuePair;

/// A doorbell register, with the lock that its users take.
struct DoorbellRegister {
  DriverLock lock;
  QueuePair* only = nullptr;  ///< the first queue pair that rings it, until there is a second
  bool given = false;         ///< given to a queue pair, now or before
};

struct VerbsContext : ibv_context {
  Nic* nic = nullptr;
  Node* node = nullptr;
  std::vector<std::unique_ptr<DoorbellRegister>> registers;  ///< those of thread domains come last
  std::uint32_t thread_registers = 0;  ///< number of registers of thread domains
  std::uint32_t queue_pairs = 0;       ///< number created so far on shared registers
  std::uint32_t objects = 0;           ///< number of objects alive
};

/// A promise that one thread at a time uses the objects created in it; it has a doorbell register
/// of its own.
struct ThreadDomain : ibv_td {
  std::uint16_t doorbell_register = 0;  ///< number in its context
  std::uint32_t objects = 0;
};

/// A protection domain; or a parent domain, which stands for one and adds a thread domain.
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
  rdma::BufferMemory* buffers = nullptr;  ///< in part of it
  SimCore* watcher = nullptr;             ///< core that polls for writes to it
  std::uint32_t key = 0;                  ///< 0: not registered
  int access = 0;

  std::uint64_t offset_of(std::uint64_t address) const { return address - start; }
  bool covers(std::uint64_t address, std::uint64_t length) const {
    const std::uint64_t offset = offset_of(address);
    return offset <= bytes && length <= bytes - offset;
  }
};

/// One entry of a completion queue.
struct Completion {
  Picoseconds seen;  ///< time from which polling finds it
  std::uint64_t wr_id;
  QueuePair* queue_pair;
  std::uint32_t byte_count;
  std::uint32_t immediate;  ///< in network order
  std::uint32_t source_qp;
  std::uint32_t sent;  ///< number of requests up to here that have left the send queue
  std::uint16_t source_lid;
  std::uint8_t status;
  std::uint8_t opcode;  ///< ibv_wc_opcode
  std::uint8_t flags;
  bool receive : 1;
  bool holds_data : 1;   ///< holds a result that polling copies to its destination
  std::uint8_t outcome;  ///< of an operation of PRISM: rdma::ChainOutcome
};

/// A completion queue. Members that each completion needs lie in one cache line.
struct CompletionQueue : ibv_cq {
  alignas(kCacheLineBytes) PolledQueue polled;
  Nic* nic = nullptr;
  SimCore* poller = nullptr;  ///< the core that polled it last
  /// Entries in the order of `seen`; a power of two; grows up to what `cqe` entries need.
  std::vector<Completion> ring;
  std::uint32_t head = 0;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;     ///< as `cqe`
  std::uint32_t queue_pairs = 0;  ///< number that uses it

  /// Removes the first `entries`.
  void drop(std::uint32_t entries) {
    count -= entries;
    // An empty ring restarts at its beginning, which the processor's caches hold.
    head = count == 0 ? 0 : (head + entries) & static_cast<std::uint32_t>(ring.size() - 1);
    polled.next_seen = count == 0 ? kNeverPs : ring[head].seen;
  }
  /// Removes the last `entries`.
  void drop_last(std::uint32_t entries) {
    count -= entries;
    polled.next_seen = count == 0 ? kNeverPs : ring[head].seen;
  }
  /// Adds an entry that is seen from `seen` on, behind those that are seen before it. The ring must
  /// have room.
  Completion& add(Picoseconds seen) {
    const auto mask = static_cast<std::uint32_t>(ring.size() - 1);
    std::uint32_t place = (head + count++) & mask;
    while (place != head && ring[(place - 1) & mask].seen > seen) {
      ring[place] = ring[(place - 1) & mask];
      place = (place - 1) & mask;
    }
    if (place == head) polled.next_seen = seen;
    ring[place].seen = seen;
    return ring[place];
  }
  /// Doubles the ring.
  void grow() {
    std::vector<Completion> larger(std::max<std::size_t>(16, 2 * ring.size()));
    for (std::uint32_t i = 0; i < count; ++i) larger[i] = ring[(head + i) & (ring.size() - 1)];
    ring = std::move(larger);
    head = 0;
  }
};

/// A work request that tells where to put a received message, of a queue pair or an SRQ.
struct ReceiveRequest {
  using Pieces = std::vector<ibv_sge>;
  static constexpr std::uint32_t kPieces = UINT32_MAX;  ///< longer than any message

  std::uint64_t wr_id;
  union {
    std::uint64_t address;
    Pieces* pieces;  ///< if `length` is kPieces; from the node's pool
  };
  std::uint32_t length;
  std::uint32_t key;

  /// Null when there is one piece.
  Pieces* scattered() const { return length == kPieces ? pieces : nullptr; }
  std::uint64_t first_address() const { return length == kPieces ? pieces->front().addr : address; }
  std::uint32_t first_key() const { return length == kPieces ? pieces->front().lkey : key; }
  /// Names the one piece.
  void set(const ibv_sge& piece) {
    address = piece.addr;
    length = std::min(piece.length, kPieces - 1);
    key = piece.lkey;
  }
  void set(Pieces* several) {
    pieces = several;
    length = kPieces;
    key = 0;
  }
};
static_assert(sizeof(ReceiveRequest) == 24);

struct ReceiveQueue {
  std::vector<ReceiveRequest> ring;  ///< a power of two; grows up to what `capacity` needs
  std::uint32_t head = 0;
  std::uint32_t count = 0;     ///< posted and not yet consumed by a message
  std::uint32_t occupied = 0;  ///< posted and not yet polled
  std::uint32_t capacity = 0;
  std::uint32_t promised =
      0;  ///< part of `count`, for messages that have arrived and are not yet in memory
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

/// An address handle. A large cluster has millions, so all that it says lies in ibv_ah::handle.
struct AddressHandle : ibv_ah {
  /// Makes it lead to the NIC with `lid`. If `global`, datagrams carry a global route header.
  void lead_to(std::uint16_t lid, bool global) {
    handle = std::uint32_t{lid} << 1 | (global ? 1U : 0U);
  }
  std::uint16_t lid() const { return static_cast<std::uint16_t>(handle >> 1); }
  bool global() const { return (handle & 1) != 0; }
};

/// The value that an atomic found, kept to answer it again.
struct KeptResult {
  std::uint32_t psn;
  std::uint64_t found;
};

/// Attributes of queue pairs, as creating and modifying set them. Queue pairs of a node share equal
/// attributes (QueuePairs::shared).
struct QueuePairAttributes {
  std::uint32_t qkey = 0;
  std::uint32_t send_capacity = 0;
  std::uint32_t receive_capacity = 0;
  std::uint16_t max_inline = 0;
  std::uint8_t max_send_sge = 0;
  std::uint8_t max_receive_sge = 0;
  std::uint8_t max_reads = 0;
  std::uint8_t max_peer_reads = 0;
  std::uint8_t retry_limit = 0;
  std::uint8_t rnr_retry_limit = 0;
  std::uint8_t rnr_timer = 0;
  std::uint8_t timeout = 0;
  std::uint8_t path_mtu = 0;
  bool carries_chains = false;  ///< may post and answer operations of PRISM

  auto operator<=>(const QueuePairAttributes&) const = default;
};

struct ChainContext;

/// State that most queue pairs never need.
struct SeldomState {
  SeldomState();
  ~SeldomState();
  std::unique_ptr<DriverLock> lock;             ///< made when a second core posts
  std::unique_ptr<ReceiveQueue> receive_queue;  ///< made by the first use; null with an SRQ
  /// Results of atomics whose answers may have been lost, the latest last.
  std::vector<KeptResult> kept_results;
  std::unique_ptr<ChainContext> chain;  ///< made by the first operation of PRISM from the peer
  OrderWaits chain_order;               ///< waits for operations of PRISM
};

/// A queue pair. Begins like ibv_qp, but leaves out its end, which only libibverbs itself uses (a
/// mutex and a condition variable), since a large cluster has millions, most of them idle. Each
/// paragraph of members is one cache line. Posting its own requests and executing the peer's need
/// all three; completing and polling its own need only the first two.
struct alignas(kCacheLineBytes) QueuePair {
  // The same members as in ibv_qp.
  ibv_context* context;
  void* qp_context;
  ibv_pd* pd;
  ibv_cq* send_cq;
  ibv_cq* recv_cq;
  ibv_srq* srq;
  std::uint32_t handle;  ///< the queue pair's number on its node
  std::uint32_t qp_num;
  ibv_qp_state state;
  ibv_qp_type qp_type;

  // Members for executing, completing and polling requests.
  Nic* nic;
  Picoseconds last_effect;      ///< time of the last effect of the peer's requests on our memory
  Picoseconds last_answer;      ///< time at which our last answer reaches the peer
  Picoseconds last_completion;  ///< time from which the last completion of our requests is seen
  std::uint32_t peer_qp;
  std::uint32_t cache_slot;         ///< in the NIC's cache of queue pairs, or kNowhere
  std::uint32_t expected_psn : 24;  ///< of the next request to execute
  std::uint32_t gap_reported : 1;   ///< the peer knows that a request is missing
  std::uint32_t retries : 3;
  std::uint32_t rnr_retries : 4;
  std::uint32_t visible : 24;  ///< number of unissued requests that a doorbell has announced
  std::uint32_t access : 4;
  std::uint32_t serves_reads : 1;   ///< `max_peer_reads` is not 0
  std::uint32_t keeps_results : 1;  ///< an answer was lost, so results of atomics are kept
  /// True if no other queue pair and no core but `poster` has ever rung its doorbell register,
  /// which then does not know of `poster`.
  std::uint32_t rings_alone : 1;
  std::uint32_t chain_pending : 1;  ///< operations of PRISM from the peer are not answered yet
  std::uint32_t freed;              ///< number of posted requests whose slots polling has freed
  // Requests not answered form a list in order; those before `unissued` have left.
  std::uint32_t oldest;
  std::uint32_t unissued;
  std::uint16_t peer_lid;  ///< 0: none
  bool signal_all : 1;
  bool waiting : 1;              ///< waits for a retry timer
  std::uint8_t unit : 6;         ///< the NIC's processing unit that serves it
  std::uint8_t reads_in_flight;  ///< atomics too

  // Members for posting and issuing.
  QueuePair* peer;            ///< last known queue pair of the peer
  Picoseconds last_sent;      ///< time at the peer; of a datagram, time at which it left the port
  Picoseconds last_doorbell;  ///< time at the NIC
  /// Time at which our last acknowledgement that had to wait for the port leaves it.
  Picoseconds ack_leaves;
  const QueuePairAttributes* attributes;
  std::unique_ptr<SeldomState> seldom;  ///< made by `need_seldom`
  std::uint32_t posted;                 ///< number of requests so far
  std::uint32_t newest;             ///< end of the list of requests; meaningless when that is empty
  std::uint32_t send_psn;           ///< of the next request to issue
  std::uint16_t poster;             ///< core that posted last, by worker; kNobody: none
  std::uint16_t doorbell_register;  ///< number in its context

  static constexpr std::uint16_t kNobody = UINT16_MAX;

  DoorbellRegister& doorbell() const {
    return *static_cast<VerbsContext*>(context)->registers[doorbell_register];
  }
  /// Null until a second core posts.
  DriverLock* lock() const { return seldom == nullptr ? nullptr : seldom->lock.get(); }
  /// Null until the first use, and with an SRQ.
  ReceiveQueue* receive_queue() const {
    return seldom == nullptr ? nullptr : seldom->receive_queue.get();
  }
  SeldomState& need_seldom() {
    if (seldom == nullptr) seldom = std::make_unique<SeldomState>();
    return *seldom;
  }

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
static_assert(sizeof(QueuePair) == 192);

/// A work request, as its requester keeps it from posting until it is answered; of UC and UD, until
/// it is sent.
struct alignas(kCacheLineBytes) Request {
  Message message;
  QueuePair* queue_pair;
  union {
    std::byte* payload;               ///< inlined: its data
    std::vector<ibv_sge>* scattered;  ///< otherwise: set if there is more than one local piece
  };
  std::uint64_t wr_id;
  std::uint64_t local_address;
  std::uint32_t local_key;
  std::uint32_t number;  ///< its own number
  std::uint32_t next;    ///< next request of its send queue
  /// Changes when it is sent again and when it is released: what names another one is stale.
  std::uint32_t generation = 0;
  union {
    std::uint32_t announced;  ///< number of requests that its doorbell announces, until it arrives
    std::uint32_t kept_as;    ///< afterwards: its number in the cache of requests
  };
  std::uint8_t status;  ///< ibv_wc_status; of one that is not done: why it waits to be repeated
  std::uint8_t fetch;   ///< lines of the DMA read that fetches it and those behind it; 0: fetched
                        ///< before
  bool signaled : 1;
  bool inlined : 1;
  bool fenced : 1;
  bool done : 1;       ///< failed, and waits for those before it
  bool counted : 1;    ///< among `reads_in_flight`
  bool waited : 1;     ///< was on the NIC before it could be issued, or sent again
  bool blueflame : 1;  ///< written to the NIC with its doorbell
  bool far : 1;        ///< posted by a core on another socket than the NIC's
};
static_assert(sizeof(Request) == 128);

}  // namespace verbena::simnic
