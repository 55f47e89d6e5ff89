// RPC messages as UD datagrams (DrTM+H paper, section 3.1, two-sided primitive).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "rdma/device/send_queue.h"
#include "rdma/device/verbs_object.h"
#include "rdma/rpc/transport/receive_ring.h"
#include "rdma/rpc/transport/rpc_transport.h"

namespace verbena::rdma {

/// One UD queue pair for all peers; messages that leave together take one doorbell. Datagrams may
/// be lost, repeated and reordered.
class DatagramTransport final : public RpcTransport {
 public:
  explicit DatagramTransport(const WorkerContext& context);
  ~DatagramTransport() override;

  void start() override;
  PeerTable::MessageAddress address() const override;
  void connected(const PeerTable& peers) override { peers_ = &peers; }
  std::uint32_t open(std::uint16_t link) override;
  std::size_t room() const override { return queue_.room(); }
  void send(std::span<const Outgoing> messages) override;
  void sent(const ibv_wc& completion) override;
  bool in_flight() const override { return !queue_.empty(); }
  std::span<const Arrival> poll() override;

 private:
  static constexpr int kMostPolled = 64;
  struct Route {
    ibv_ah* address = nullptr;  // owned; null until the link is opened
    std::uint32_t queue_pair = 0;
  };

  void refill() override;
  void prepare(std::size_t index, const Outgoing& outgoing);
  [[noreturn]] void fail(const char* call, int error) const;

  QueuePair qp_;
  std::uint32_t inline_bytes_ = 0;  // that it takes
  std::uint16_t tag_ = 0;
  std::uint32_t local_key_ = 0;
  const PeerTable* peers_ = nullptr;
  ReceiveRing ring_;
  SendQueue queue_;
  std::vector<BufferId>
      sending_;  // [number modulo its size]: what the request sends from; a power of two
  // As many as most messages that have left together.
  std::vector<ibv_send_wr> requests_;
  std::vector<ibv_sge> elements_;
  std::vector<Route> routes_;  // [link]
  std::array<ibv_wc, kMostPolled> completions_;
  std::array<Arrival, kMostPolled> arrivals_;
};

}  // namespace verbena::rdma
