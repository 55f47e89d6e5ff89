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

/// A message that has arrived: its header, and the payload behind it.
struct Arrival {
  const MessageHeader* header;  ///< 8 B aligned; the payload behind it too
  std::uint32_t payload_bytes;
  std::uint16_t link;  ///< number of the link to the sender; or kForeign

  /// Link of an arrival that is no message to this worker; it may have no header.
  static constexpr std::uint16_t kForeign = UINT16_MAX;
};

/// A message to be sent.
struct Outgoing {
  BufferId buffer;
  std::uint16_t link;
};

/// Carries the messages of one worker. It owns its queue pairs, what arrives, and the buffers in
/// which messages are composed, from `reserve` until they are back; the meaning of messages is
/// Rpc's. Only calls that serve many messages each are virtual. Worker-local.
///
/// A buffer goes back to the pool when it has been released and every send of it has completed: a
/// repetition may still be on its way out when the reply comes.
class RpcTransport {
 public:
  virtual ~RpcTransport() = default;
  RpcTransport(const RpcTransport&) = delete;
  RpcTransport& operator=(const RpcTransport&) = delete;

  /// Creates the transport that `context.options` choose. `context` must outlive it.
  static std::unique_ptr<RpcTransport> create(const WorkerContext& context);

  /// True if each message arrives once, and in the order of its link, unless its peer fails.
  /// Otherwise messages may be lost, repeated and reordered.
  bool lossless() const { return lossless_; }

  /// Largest size of a message, header included.
  std::size_t most_bytes() const { return most_bytes_; }

  // --- bring-up
  /// Creates queue pairs and prepares to receive; after memory is registered.
  virtual void start() = 0;
  /// Address that peers have to know to send to this worker; after start().
  virtual PeerTable::MessageAddress address() const = 0;
  /// Rings that peers have to know to write messages to this worker; after start().
  virtual PeerTable::MessageRings rings() const { return {.begin = 0, .key = 0}; }
  virtual void connected(const PeerTable& peers) = 0;
  /// Returns the queue pair to be connected with the other end of `link`; null if there is none.
  virtual ibv_qp* queue_pair(std::uint16_t /*link*/) const { return nullptr; }
  /// Tells that the worker begins to run on `core`.
  virtual void run_on(Core& /*core*/) {}
  /// Opens `link`, before the first message on it. Returns the MessageHeader::envelope of its
  /// messages.
  virtual std::uint32_t open(std::uint16_t link) = 0;

  // --- buffers
  /// Takes a buffer for a message of `bytes`, at most most_bytes(); kNoBuffer if there is no memory
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
  /// Gives up a buffer that will not be sent again.
  void release(BufferId id) {
    if (pool_[id].references > 0) {
      pool_[id].released = true;
    } else {
      give_back(id);
    }
  }
  /// Drops a reference of a buffer, since a send has completed or will not take place.
  void unreference(BufferId id);
  /// True if a buffer has come back since the last call.
  bool gave_back() { return std::exchange(gave_back_, false); }

  // --- sending
  /// Number of messages that send() takes now.
  virtual std::size_t room() const = 0;
  /// Posts at most room() messages under as few doorbells as their queue pairs allow. Each has a
  /// reference, which is dropped when its memory has been read.
  virtual void send(std::span<const Outgoing> messages) = 0;
  /// Handles a polled completion of one of the transport's requests.
  virtual void sent(const ibv_wc& completion) = 0;
  /// True if a completion may come.
  virtual bool in_flight() const = 0;

  /// True if links have failed since take_unreachable().
  bool has_unreachable() const { return !unreachable_.empty(); }
  /// Returns the links that failed since the last call; what is sent on them is dropped.
  std::vector<std::uint16_t> take_unreachable() { return std::exchange(unreachable_, {}); }

  // --- receiving
  /// Returns the messages that have arrived, to be handled in order; valid until the next call.
  virtual std::span<const Arrival> poll() = 0;
  /// Tells that the next message of poll() has been handled.
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

  /// Called when there was no memory for a message; may request completions early.
  virtual void want_buffers() {}
  /// Called when `refill_at` messages have been handled since the last call.
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
