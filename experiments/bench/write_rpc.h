// Calls made of two one-sided WRITEs, as FaRM's messages are (NSDI'14; DrTM+H paper, figure 3b).
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/bench/bench_worker.h"
#include "rdma/base/types.h"
#include "rdma/one_sided/request_batch.h"

namespace verbena::experiments {

/// One worker's part. In its node's memory it has two rings for each peer: of requests that the
/// peer's worker of the same number writes, and of replies to its own. Messages fill the slots of a
/// ring one after another, so only one cache line of each ring has to be looked at, and not one for
/// each call: the one in which the next message will end, with a number that says that it is there.
/// A WRITE fills memory upwards, so the number arrives last.
///
/// A ring has as many slots as the worker's fibers can have calls in flight. Since requests are
/// answered in the order of their ring, a slot is never written before its last message was taken.
///
/// Messages are written passively, since replies and further requests acknowledge them.
class WriteRpc {
 public:
  /// Bytes of region 0 that all workers of a node need. Throws ConfigurationError when they are
  /// unreasonably many.
  static std::uint64_t region_bytes(const BenchOptions& options, std::uint32_t nodes,
                                    std::uint32_t workers);

  /// `client_fibers`: fibers of this worker that will run client_fiber.
  WriteRpc(BenchWorker& bench, std::uint32_t nodes, std::uint32_t client_fibers);

  /// Calls: a window of them, then the wait for all.
  void client_fiber();

  /// Looks at all rings until all clients, here and at the peers, have done.
  void polling_fiber();

 private:
  /// Sizes of the two kinds of messages and rings.
  struct Layout {
    Layout(const BenchOptions& options, std::uint32_t node_count);

    std::uint64_t request_ring(WorkerId worker, NodeId peer) const {
      return worker * worker_bytes + peer * slots * request_stride;
    }
    std::uint64_t reply_ring(WorkerId worker, NodeId peer) const {
      return worker * worker_bytes + nodes * slots * request_stride + peer * slots * reply_stride;
    }

    std::uint64_t nodes;
    std::uint64_t slots;                       // of a ring
    std::uint64_t request_bytes, reply_bytes;  // with the number at their end
    std::uint64_t request_stride, reply_stride;
    std::uint64_t worker_bytes;
  };

  struct Peer {
    std::uint64_t sent = 0;      // requests to it
    std::uint64_t answered = 0;  // of these
    std::uint64_t served = 0;    // requests from it
    bool is_client_of_us = false;
    bool left = false;                   // has told that it will send no more
    std::vector<std::uint32_t> callers;  // [slot]: the fiber whose request is there
  };
  /// Of one fiber, since posting may suspend it.
  struct Sender {
    Sender(rdma::Worker& worker, std::uint64_t bytes)
        : batch(worker.connections()), message(bytes) {}
    rdma::RequestBatch batch;
    std::vector<std::byte> message;
  };
  struct Caller {
    rdma::FiberId fiber;
    std::uint32_t pending = 0;
    bool waiting = false;
  };

  void send_request(Sender& sender, NodeId to, std::uint64_t flag);
  void send_reply(Sender& sender, NodeId to);
  void write(Sender& sender, RemoteAddress at, std::uint64_t number);
  std::uint64_t number_at(std::uint64_t message_at, std::uint64_t message_bytes);
  void take_requests(Sender& sender, NodeId from);
  void take_replies(NodeId from);
  void say_goodbye(Sender& sender);
  bool finished() const;

  BenchWorker& bench_;
  Layout layout_;
  std::vector<Peer> peers_;
  std::vector<Caller> callers_;
  std::uint32_t clients_left_;
};

}  // namespace verbena::experiments
