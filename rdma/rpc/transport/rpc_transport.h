// Transport of RPC messages between the workers of a cluster.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rdma/device/peer_table.h"
#include "rdma/device/worker_context.h"
#include "rdma/device/worker_counters.h"
#include "rdma/memory/buffer_pool.h"
#include "rdma/rpc/transport/rpc_message.h"

namespace verbena::rdma {

/// A message that has arrived: a header and what follows it.
struct Arrival {
  const MessageHeader* header;  ///< 8 B aligned; the payload behind it too
  std::uint32_t payload_bytes;
  std::uint16_t link;  ///< number of the link at whose other end the sender is; or kForeign

  /// Link of an arrival that is no message to this worker; it may have no header.
  static constexpr std::uint16_t kForeign = UINT16_MAX;
};

/// A message that is to leave.
struct Outgoing {
  BufferId buffer;
  std::uint16_t link;
};

/// How the messages of one worker travel. It owns the buffers in which messages are composed, from
/// `reserve` until they are back, the queue pairs and what arrives; what messages mean is Rpc's.
/// Virtual are only calls of which one serves many messages. Worker-local.
///
/// A buffer goes back to the pool when it has been released and every send of it has completed,
/// whichever is later: a repetition may still be on its way out when the reply comes.
class RpcTransport {
 public:
  virtual ~RpcTransport() = default;
  RpcTransport(const RpcTransport&) = delete;
  RpcTransport& operator=(const RpcTransport&) = delete;

  /// The transport that `context.options` choose. `context` outlives it.
  static std::unique_ptr<RpcTransport> create(const WorkerContext& context);

  /// True if each message arrives, once and in the order of its link, unless its peer fails. If
  /// not, it may be lost, be repeated and overtake others.
  bool lossless() const { return lossless_; }

  /// Largest size of a message, header included.
  std::size_t most_bytes() const { return most_bytes_; }

  // --- bring-up
  /// After memory is registered: creates queue pairs and makes ready to receive.
  virtual void start() = 0;
  /// Address that peers have to know to send to this worker; after start().
  virtual PeerTable::MessageAddress address() const = 0;
  virtual void connected(const PeerTable& peers) = 0;
  /// The queue pair that has to be connected with the other end of `link`; null if none has.
  virtual ibv_qp* queue_pair(std::uint16_t /*link*/) const { return nullptr; }
  /// The worker begins to run on `core`.
  virtual void run_on(Core& /*core*/) {}
  /// Before the first message on `link`. Returns the MessageHeader::envelope of messages on it.
  virtual std::uint32_t open(std::uint16_t link) = 0;

  // --- buffers
  /// A buffer for a message of `bytes`, at most most_bytes(), or kNoBuffer if there is no memory
  /// now.
  BufferId reserve(std::size_t bytes) {
    const BufferId id = pool_.take(bytes + trailer_bytes_);
    if (id == kNoBuffer) {
      want_buffers();
      return id;
    }
    pool_[id].bytes = static_cast<std::uint32_t>(bytes);
    return id;
  }
  /// True if a message of any size would find memory.
  bool can_reserve() {
    if (pool_.has(most_bytes_ + trailer_bytes_)) return true;
    want_buffers();
    return false;
  }
  Buffer& operator[](BufferId buffer) { return pool_[buffer]; }
  MessageHeader& header(BufferId buffer) {
    return *reinterpret_cast<MessageHeader*>(pool_[buffer].address);
  }
  /// Nobody will send it again.
  void release(BufferId id) {
    if (pool_[id].references > 0) {
      pool_[id].released = true;
    } else {
      give_back(id);
    }
  }
  /// One of the sends that its `references` count has completed, or will not take place.
  void unreference(BufferId id);
  /// True if a buffer has come back since the last call.
  bool gave_back() { return std::exchange(gave_back_, false); }

  // --- sending
  /// How many messages send() takes now.
  virtual std::size_t room() const = 0;
  /// Posts at most room() messages under as few doorbells as their queue pairs allow. Each has a
  /// reference, which goes when its memory has been read.
  virtual void send(std::span<const Outgoing> messages) = 0;
  /// A polled completion of one of the transport's requests.
  virtual void sent(const ibv_wc& completion) = 0;
  /// True if a completion may come.
  virtual bool in_flight() const = 0;

  /// True if links have failed since take_unreachable().
  bool has_unreachable() const { return !unreachable_.empty(); }
  /// These; what is sent on them is dropped.
  std::vector<std::uint16_t> take_unreachable() { return std::exchange(unreachable_, {}); }

  // --- receiving
  /// Messages that have arrived, to be dealt with in their order; valid until the next call.
  virtual std::span<const Arrival> poll() = 0;
  /// The next of what poll() returned has been dealt with.
  void dealt_with() {
    if (++consumed_ == refill_at_) refill();
  }

  WorkerCounters counters;

 protected:
  struct Kind {
    bool lossless;
    std::size_t most_bytes;
    std::size_t trailer_bytes;  ///< behind each message
    std::uint32_t refill_at;
  };
  RpcTransport(const WorkerContext& context, const Kind& kind);

  /// There was no memory for a message: completions that are to come only later may be asked for.
  virtual void want_buffers() {}
  /// `refill_at` messages have been dealt with since the last time.
  virtual void refill() {}
  void give_back(BufferId id) {
    pool_.give_back(id);
    gave_back_ = true;
  }

  WorkerThread& thread_;
  WorkerVerbs& verbs_;
  const EndpointOptions& options_;
  const ClusterLinks& cluster_;
  BufferPool pool_;
  std::uint32_t consumed_ = 0;  // since refill()
  std::uint32_t refill_at_;
  std::vector<std::uint16_t> unreachable_;  // links

 private:
  bool lossless_;
  bool gave_back_ = false;
  std::size_t most_bytes_;
  std::size_t trailer_bytes_;
};

}  // namespace verbena::rdma
