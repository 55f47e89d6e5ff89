// One-sided requests of one fiber, posted together and waited for together.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/device/doorbell.h"
#include "rdma/one_sided/core_path.h"
#include "rdma/one_sided/one_sided_request.h"

namespace verbena::rdma {

class Connections;

/// The carriers of a batch's requests.
enum class RequestsBy : std::uint8_t {
  kConfigured,  ///< the peers' NICs, or their cores where the worker has a CorePath
  kNic,         ///< NICs in any case
};

/// A fiber adds requests, posts them, waits, and uses the object again. Requests of one batch to
/// one node that are posted together use one queue pair, and are executed in the order in which
/// they were added. Each post() chooses a peer's queue pair at random, so with several there is no
/// order between posts. Requests that cores carry out (EndpointOptions::prism) keep the same order.
///
/// `to` of a read must be in the worker's scratch memory. A write's source may be anywhere. It is
/// sent inline when it fits; else from its place when that is in scratch memory, where it must stay
/// unchanged until wait() has returned; else from a copy. An inlined or copied source is free when
/// post() returns. Accesses outside the peer's region, and to a node without connection, throw
/// std::logic_error. Reads longer than a cache line may be torn by concurrent writes.
class RequestBatch {
 public:
  /// Throws std::logic_error when the endpoint's queue pairs are unreliable, since their
  /// completions tell nothing of the peer.
  explicit RequestBatch(Connections& connections, RequestsBy by = RequestsBy::kConfigured);
  /// May be destroyed with requests in flight (while an exception unwinds); `found` pointers are
  /// then not written.
  ~RequestBatch();
  RequestBatch(const RequestBatch&) = delete;
  RequestBatch& operator=(const RequestBatch&) = delete;

  void read(RemoteAddress from, void* to, std::uint32_t length);
  void write(RemoteAddress to, const void* from, std::uint32_t length);
  /// Adds one request that writes `first` and then `rest` behind it; both are in scratch memory.
  void write(RemoteAddress to, std::span<const std::byte> first, std::span<const std::byte> rest);

  /// Adds a compare-and-swap; `at` is 8 B aligned. wait() stores the old value to *found, which may
  /// lie anywhere; null if not wanted.
  void compare_and_swap(RemoteAddress at, std::uint64_t expected, std::uint64_t desired,
                        std::uint64_t* found);
  void fetch_and_add(RemoteAddress at, std::uint64_t add, std::uint64_t* found);

  /// Number of requests added and not yet posted.
  std::size_t size() const { return requests_.size(); }
  bool empty() const { return requests_.empty(); }

  /// Posts what was added. Signals only the last request per queue pair, and what the signal
  /// interval asks for. Suspends the fiber while a send queue is full. May be called several times
  /// before wait(). Throws VerbsError, and PeerMissing when the peer has stopped answering.
  void post(Doorbell doorbell = Doorbell::kBatched);

  /// Suspends the fiber until everything posted has completed. When a request failed, throws,
  /// naming queue pair, peer and status: PeerMissing if the peer did not answer in spite of
  /// retries, else VerbsError.
  void wait();

  /// Posts what was added (writes, and atomics without `found`) unsignaled; nobody waits for it
  /// (section 3.2, passive ACK). Sources that are not inlined are copied to memory that the worker
  /// reuses only after a later completion on the same queue pair. Failure shows at a later post
  /// to the peer or at the end of the run.
  void post_passive(Doorbell doorbell = Doorbell::kBatched);

 private:
  friend class Connections;

  struct FoundValue {  // of an atomic, to be copied when it has completed
    const std::uint64_t* from;
    std::uint64_t* to;
    std::uint32_t staging;
  };

  [[noreturn]] void refuse(RemoteAddress at, std::uint32_t length) const;
  OneSidedRequest& add(RemoteAddress at, std::uint32_t length, ibv_wr_opcode opcode);
  void add_atomic(RemoteAddress at, ibv_wr_opcode opcode, std::uint64_t compare_add,
                  std::uint64_t swap, std::uint64_t* found);
  void finish_found(bool copy);
  void post_by_cores(Doorbell doorbell, bool passive);
  void wait_for_cores();

  Connections& connections_;
  std::uint16_t owner_;  // number by which completions find this batch
  std::vector<OneSidedRequest> requests_;
  std::vector<OneSidedChain> chains_;
  std::vector<FoundValue> found_;
  std::unique_ptr<CoreRequests> cores_;  // null: by NIC
};

}  // namespace verbena::rdma
