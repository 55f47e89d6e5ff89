// RPC messages written into rings in the receivers' memory (FaRM, NSDI'14; DrTM+H paper, figure
// 3b).
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/device/send_queue.h"
#include "rdma/device/verbs_object.h"
#include "rdma/rpc/transport/message_ring.h"
#include "rdma/rpc/transport/rpc_transport.h"

namespace verbena::rdma {

/// Each link has an RC queue pair for messages, and at both ends a ring that the other end writes;
/// a message is one RDMA WRITE. For each link a worker polls the cache line in which the next
/// message begins, and that in which it ends, if it is another. Nothing is lost, repeated or
/// reordered on a link.
///
/// A message waits here while its ring or the send queue has no room. The reader returns room by a
/// WRITE of the number of lines that it has cleared, into a word beside the other end's ring. That
/// needs no room in any ring, so two ends whose rings are full cannot wait for each other.
///
/// The transport has queue pairs of its own, beside those of one-sided requests. So a send queue
/// full of one-sided requests does not keep the event loop, which cannot wait, from answering.
/// Also, some links carry no one-sided requests. It costs the NIC the state of one more queue pair
/// for each link.
///
/// When a queue pair fails, messages that wait or are sent later on its link are dropped.
class WriteRingTransport final : public RpcTransport {
 public:
  explicit WriteRingTransport(const WorkerContext& context);

  /// Bytes of WorkerMemory::rings for `link_numbers` links.
  static std::size_t ring_bytes(const RpcOptions& options, std::uint32_t link_numbers);

  void start() override;
  PeerTable::MessageAddress address() const override;
  PeerTable::MessageRings rings() const override;
  ibv_qp* queue_pair(std::uint16_t number) const override { return links_[number].qp.get(); }
  void connected(const PeerTable& peers) override;
  void run_on(Core& core) override;
  std::uint32_t open(std::uint16_t number) override;
  std::size_t room() const override { return SIZE_MAX; }
  void send(std::span<const Outgoing> messages) override;
  void sent(const ibv_wc& completion) override;
  bool in_flight() const override { return in_flight_ > 0; }
  std::span<const Arrival> poll() override;

 private:
  struct Link {
    Link(const RingShape& shape, std::byte* ring, const EndpointOptions& options)
        : queue(options.send_queue_depth, options.signal_interval),
          writer(shape),
          reader(shape, ring) {}

    QueuePair qp;  // null where there is no other worker
    SendQueue queue;
    RingWriter writer;
    RingReader reader;
    std::uint64_t remote_ring = 0;  // address
    std::uint32_t remote_key = 0;
    ibv_send_wr* last = nullptr;    // of the chain that is being built
    std::vector<BufferId> waiting;  // for room
    std::vector<BufferId> sending;  // [number modulo its size, a power of two]
    bool attended = false;          // in attended_
    bool failed = false;
  };
  struct Chain {
    std::uint16_t link;
    ibv_send_wr* first;
  };
  struct WorkRequest {
    ibv_send_wr wr;
    ibv_sge sge;
  };

  void refill() override;
  void want_buffers() override;
  bool can_take(std::uint16_t number, BufferId buffer);
  void attend(std::uint16_t number);
  bool serve(std::uint16_t number);
  void serve_attended();
  void add_message(std::uint16_t number, BufferId id);
  void add_news(std::uint16_t number, bool signaled);
  ibv_send_wr& add_request(std::uint16_t number, const std::byte* from, std::size_t bytes,
                           BufferId buffer, bool signaled);
  void post();
  void fail(std::uint16_t number, const ibv_wc& completion);
  [[noreturn]] void refuse(std::uint16_t number, const Malformed& wrong) const;
  std::byte* ring(std::uint16_t number) const;
  std::uint64_t* word(std::uint16_t number, std::size_t line) const;

  RingShape shape_;
  std::span<std::byte> rings_;
  MemoryRegistration registration_;  // of these
  std::uint32_t local_key_ = 0;
  std::vector<Link> links_;              // [number]
  std::vector<std::uint16_t> present_;   // links to other workers
  std::vector<std::uint16_t> attended_;  // links where something waits for room
  // Requests that are being posted.
  std::vector<WorkRequest> requests_;
  std::vector<Chain> chains_;  // one for each link
  std::vector<BufferId> inlined_;
  std::vector<Arrival> arrivals_;
  std::uint64_t in_flight_ = 0;  // requests without completion
};

}  // namespace verbena::rdma
