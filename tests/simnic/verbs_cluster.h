// A small simulated cluster set up with raw verbs, for tests of the verbs contract.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "simnic/sim_fabric.h"

namespace verbena::simnic {

/// Shape of a queue pair of the tests: its type, what it can hold, and its queues.
struct QueuePairShape {
  ibv_qp_type type = IBV_QPT_RC;
  std::uint32_t send_depth = 64;
  std::uint32_t receive_depth = 64;
  std::uint32_t max_inline = 128;
  std::uint32_t pieces = 4;
  bool signal_all = false;
  ibv_srq* srq = nullptr;
  ibv_cq* send_cq = nullptr;  ///< null: the node's
  ibv_cq* receive_cq = nullptr;
};

/// How a pair of queue pairs is connected.
struct ConnectionShape {
  int access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  std::uint8_t max_reads = 16;
  std::uint8_t rnr_retry = 7;
  std::uint8_t rnr_timer = 1;  ///< 10 us
  std::uint8_t retry = 2;
  std::uint8_t timeout = 1;  ///< 8.192 us
  std::uint32_t psn = 77;
};

/// A node with one device opened, one protection domain, one completion queue and one region of
/// registered memory.
struct VerbsNode {
  const rdma::VerbsTable* verbs = nullptr;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_cq* cq = nullptr;
  ibv_mr* mr = nullptr;
  ibv_port_attr port{};
  std::vector<std::byte> memory;

  template <typename Value>
  Value& at(std::size_t offset) {
    return *reinterpret_cast<Value*>(memory.data() + offset);
  }
  std::uint64_t address(std::size_t offset) const {
    return reinterpret_cast<std::uint64_t>(memory.data()) + offset;
  }
  /// A piece of the registered memory.
  ibv_sge piece(std::size_t offset, std::uint32_t length) const {
    return {address(offset), length, mr->lkey};
  }
};

class VerbsCluster {
 public:
  static constexpr std::size_t kMemoryBytes = 1 << 16;
  static constexpr std::uint32_t kQkey = 0x1234;
  static constexpr int kAllAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
                                    IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

  explicit VerbsCluster(const SimOptions& options = {});
  ~VerbsCluster();
  VerbsCluster(const VerbsCluster&) = delete;
  VerbsCluster& operator=(const VerbsCluster&) = delete;

  rdma::Fabric& fabric() { return *fabric_; }
  VerbsNode& node(std::size_t index) { return *nodes_[index]; }

  ibv_qp* create(std::size_t node, const QueuePairShape& shape = {});
  void destroy_queue_pairs();
  /// `qp` was destroyed by the test itself.
  void forget(const ibv_qp* qp) {
    std::erase_if(queue_pairs_, [qp](const auto& one) { return one.second == qp; });
  }
  /// One step of a queue pair's way up; results of ibv_modify_qp.
  int to_init(ibv_qp* qp, const ConnectionShape& shape = {});
  int to_rtr(ibv_qp* qp, std::size_t peer, std::uint32_t peer_qp,
             const ConnectionShape& shape = {});
  int to_rts(ibv_qp* qp, const ConnectionShape& shape = {});
  /// Brings both to RTS, connected with each other.
  void connect(std::size_t a_node, ibv_qp* a, std::size_t b_node, ibv_qp* b,
               const ConnectionShape& shape = {});
  /// Two new queue pairs, connected.
  std::pair<ibv_qp*, ibv_qp*> connected(std::size_t a_node, std::size_t b_node,
                                        const QueuePairShape& queue_pair = {},
                                        const ConnectionShape& connection = {});
  /// A datagram queue pair, ready to send.
  ibv_qp* datagram(std::size_t node, const QueuePairShape& shape = {});
  ibv_ah* address_handle(std::size_t from, std::size_t to, bool global = false);

  /// Runs one body per entry, on a core of the node of that number.
  void run(const std::vector<std::pair<NodeId, std::function<void(rdma::Core&)>>>& bodies);

  std::uint64_t counter(NodeId node, const char* name) { return fabric_->counters(node).at(name); }

 private:
  std::unique_ptr<rdma::Fabric> fabric_;
  std::vector<std::unique_ptr<VerbsNode>> nodes_;
  std::vector<std::pair<const rdma::VerbsTable*, ibv_qp*>> queue_pairs_;
  std::vector<std::pair<const rdma::VerbsTable*, ibv_ah*>> address_handles_;
};

/// Work requests, signaled unless said otherwise.
ibv_send_wr read_request(ibv_sge* to, const VerbsNode& from, std::size_t offset);
ibv_send_wr write_request(ibv_sge* from, const VerbsNode& to, std::size_t offset);
ibv_send_wr send_request(ibv_sge* from);
ibv_send_wr compare_and_swap_request(ibv_sge* found, const VerbsNode& at, std::size_t offset,
                                     std::uint64_t expected, std::uint64_t desired);
ibv_send_wr fetch_and_add_request(ibv_sge* found, const VerbsNode& at, std::size_t offset,
                                  std::uint64_t add);

/// Posts one request or chain; the result of ibv_post_send.
int post(ibv_qp* qp, ibv_send_wr wr);
int post_receive(ibv_qp* qp, ibv_sge piece, std::uint64_t wr_id = 0);

/// Idles until `cq` has given `count` completions.
std::vector<ibv_wc> await(rdma::Core& core, ibv_cq* cq, std::size_t count = 1);
/// Idles for a time and then takes what is there.
std::vector<ibv_wc> await_for(rdma::Core& core, ibv_cq* cq, Nanoseconds duration);

}  // namespace verbena::simnic
