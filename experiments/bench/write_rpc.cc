// Rings of messages in memory that peers write.
#include "experiments/bench/write_rpc.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "rdma/base/errors.h"
#include "rdma/endpoint.h"

namespace verbena::experiments {
namespace {

using rdma::Work;

constexpr std::uint64_t kMostBytes = 4ULL << 30;
constexpr std::uint64_t kWord = sizeof(std::uint64_t);

/// In the number of a client's last request, which has no reply.
constexpr std::uint64_t kGoodbye = std::uint64_t{1} << 63;

std::uint64_t with_number(std::uint64_t payload) {
  return (payload + kWord - 1) / kWord * kWord + kWord;
}

}  // namespace

WriteRpc::Layout::Layout(const BenchOptions& options, std::uint32_t node_count)
    : nodes(node_count),
      slots(std::uint64_t{options.fibers} * options.window),
      request_bytes(with_number(options.request_bytes)),
      reply_bytes(with_number(options.payload_bytes)),
      request_stride(whole_lines(request_bytes)),
      reply_stride(whole_lines(reply_bytes)),
      worker_bytes(nodes * slots * (request_stride + reply_stride)) {}

std::uint64_t WriteRpc::region_bytes(const BenchOptions& options, std::uint32_t nodes,
                                     std::uint32_t workers) {
  const std::uint64_t bytes = workers * Layout(options, nodes).worker_bytes;
  if (bytes <= kMostBytes) return bytes;
  throw ConfigurationError(
      fmt::format("--coroutines {} with --window {}: the rings of write-rpc would take {} GiB of "
                  "each node, more than {}",
                  options.fibers, options.window, bytes >> 30, kMostBytes >> 30));
}

WriteRpc::WriteRpc(BenchWorker& bench, std::uint32_t nodes, std::uint32_t client_fibers)
    : bench_(bench), layout_(bench.options, nodes), peers_(nodes), clients_left_(client_fibers) {
  const auto end = static_cast<NodeId>(nodes);
  for (NodeId node = 0; node < end; ++node) {
    peers_[node].callers.resize(layout_.slots);
    const BenchPeers theirs(nodes, bench.options.servers, node);
    for (std::uint32_t i = 0; i < theirs.count() && node < bench.options.clients; ++i) {
      if (theirs.at(i) == bench.worker.node()) peers_[node].is_client_of_us = true;
    }
  }
}

void WriteRpc::write(Sender& sender, RemoteAddress at, std::uint64_t number) {
  bench_.worker.core().spend(Work::kRpcBuild);
  std::memcpy(sender.message.data() + sender.message.size() - kWord, &number, kWord);
  sender.batch.write(at, sender.message.data(), static_cast<std::uint32_t>(sender.message.size()));
  sender.batch.post_passive(rdma::Doorbell::kEach);
}

void WriteRpc::send_request(Sender& sender, NodeId to, std::uint64_t flag) {
  Peer& peer = peers_[to];
  const std::uint64_t slot = peer.sent++ % layout_.slots;
  const std::uint64_t number = peer.sent | flag;
  const std::uint64_t ring = layout_.request_ring(bench_.worker.id(), bench_.worker.node());
  write(sender, {to, 0, ring + slot * layout_.request_stride}, number);
}

void WriteRpc::send_reply(Sender& sender, NodeId to) {
  const std::uint64_t number = peers_[to].served;
  const std::uint64_t slot = (number - 1) % layout_.slots;
  const std::uint64_t ring = layout_.reply_ring(bench_.worker.id(), bench_.worker.node());
  write(sender, {to, 0, ring + slot * layout_.reply_stride}, number);
}

std::uint64_t WriteRpc::number_at(std::uint64_t message_at, std::uint64_t message_bytes) {
  bench_.worker.core().spend(Work::kPollLine);
  std::byte* word =
      bench_.worker.endpoint().region(0).at(message_at + message_bytes - kWord, kWord);
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(word)).load(std::memory_order_acquire);
}

void WriteRpc::take_requests(Sender& sender, NodeId from) {
  Peer& peer = peers_[from];
  const std::uint64_t ring = layout_.request_ring(bench_.worker.id(), from);
  while (peer.is_client_of_us && !peer.left) {
    const std::uint64_t at = ring + peer.served % layout_.slots * layout_.request_stride;
    const std::uint64_t number = number_at(at, layout_.request_bytes);
    if ((number & ~kGoodbye) != peer.served + 1) break;
    ++peer.served;
    bench_.worker.core().spend(Work::kRpcDispatch);
    if ((number & kGoodbye) != 0) {
      peer.left = true;
    } else {
      send_reply(sender, from);
    }
  }
}

void WriteRpc::take_replies(NodeId from) {
  Peer& peer = peers_[from];
  const std::uint64_t ring = layout_.reply_ring(bench_.worker.id(), from);
  while (peer.answered < peer.sent) {
    const std::uint64_t slot = peer.answered % layout_.slots;
    if (number_at(ring + slot * layout_.reply_stride, layout_.reply_bytes) != peer.answered + 1) {
      break;
    }
    ++peer.answered;
    bench_.worker.core().spend(Work::kRpcDispatch);
    Caller& caller = callers_[peer.callers[slot]];
    if (--caller.pending == 0 && caller.waiting) {
      caller.waiting = false;
      bench_.worker.make_ready(caller.fiber);
    }
  }
}

void WriteRpc::client_fiber() {
  const auto self = static_cast<std::uint32_t>(callers_.size());
  callers_.push_back({.fiber = bench_.worker.current_fiber()});
  rdma::Worker& worker = bench_.worker;
  Sender sender(worker, layout_.request_bytes);
  bench_.closed_loop(bench_.options.window, [&] {
    for (std::uint32_t i = 0; i < bench_.options.window; ++i) {
      const NodeId to = bench_.random_peer();
      peers_[to].callers[peers_[to].sent % layout_.slots] = self;
      ++callers_[self].pending;
      send_request(sender, to, 0);
    }
    while (callers_[self].pending > 0) {
      callers_[self].waiting = true;
      worker.suspend();
    }
  });
  if (--clients_left_ == 0) say_goodbye(sender);
}

void WriteRpc::say_goodbye(Sender& sender) {
  for (std::uint32_t i = 0; i < bench_.peers.count(); ++i) {
    const NodeId to = bench_.peers.at(i);
    send_request(sender, to, kGoodbye);
    peers_[to].answered = peers_[to].sent;
  }
}

bool WriteRpc::finished() const {
  return clients_left_ == 0 && std::all_of(peers_.begin(), peers_.end(), [](const Peer& peer) {
           return !peer.is_client_of_us || peer.left;
         });
}

void WriteRpc::polling_fiber() {
  const auto end = static_cast<NodeId>(peers_.size());
  Sender sender(bench_.worker, layout_.reply_bytes);
  while (!finished()) {
    for (NodeId from = 0; from < end; ++from) {
      take_requests(sender, from);
      take_replies(from);
    }
    bench_.observe();
    bench_.worker.yield();
  }
}

}  // namespace verbena::experiments
