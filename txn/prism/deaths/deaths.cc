// Signs of life, and notifications of deaths.
#include "txn/prism/deaths/deaths.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/message_io.h"
#include "rdma/drain.h"
#include "rdma/rpc/rpc.h"
#include "rdma/rpc/rpc_batch.h"

namespace verbena::txn::prism {
namespace {

struct Method {
  static constexpr rdma::RpcMethod kSignOfLife = 1;
  static constexpr rdma::RpcMethod kDeath = 2;
};

struct SignOfLife {
  std::uint64_t last;  ///< 1: the client is done, and not dead
};

struct Death {
  std::uint64_t node;
};

/// Instead of a time.
constexpr std::int64_t kNotYet = -1;
constexpr std::int64_t kDone = -2;

/// So much longer a client may be silent before it has told anything.
constexpr Nanoseconds kBeginning = 500 * kMillisecond;

/// The longest sleep of fibers that have to end with the run.
constexpr Nanoseconds kLongestNap = kMillisecond;

template <typename Message>
void notify(rdma::Worker& worker, NodeId peer, rdma::RpcMethod method, const Message& message) {
  worker.rpc().notify(peer, method, std::as_bytes(std::span(&message, 1)));
}

}  // namespace

Deaths::Deaths(rdma::Endpoint& endpoint, const View& view, const DeathOptions& options,
               Spared spared)
    : endpoint_(endpoint),
      view_(view),
      options_(options),
      spared_(spared),
      heard_(view.nodes()),
      asked_since_(view.nodes(), kNever),
      known_(view.nodes()) {
  for (auto& time : heard_) time.store(kNotYet, std::memory_order_relaxed);
  for (std::uint32_t w = 0; w < endpoint.workers(); ++w) {
    rdma::Worker& worker = endpoint.worker(static_cast<WorkerId>(w));
    worker.rpc().serve(Method::kSignOfLife,
                       [this, &worker](const rdma::RpcCaller& from, Notification sign,
                                       rdma::RpcReply&) { hear(worker, from.node, sign); });
    worker.rpc().serve(Method::kDeath,
                       [this, &worker](const rdma::RpcCaller& from, Notification death,
                                       rdma::RpcReply&) { learn(worker, from.node, death); });
  }
}

bool Deaths::clients_lost() const {
  for (std::uint32_t n = 0; n < view_.nodes(); ++n) {
    const auto node = static_cast<NodeId>(n);
    if (view_.computes(node) && endpoint_.is_dead(node)) return true;
  }
  return false;
}

// The last sign may overtake the ones before.
void Deaths::hear(rdma::Worker& worker, NodeId client, Notification sign) {
  const bool last = MessageReader(sign).take<SignOfLife>().last != 0;
  if (!last) worker.core().reach("prism: sign of life heard");
  if (heard_[client].load(std::memory_order_relaxed) == kDone) return;
  heard_[client].store(last ? kDone : worker.now().count(), std::memory_order_relaxed);
}

void Deaths::learn(rdma::Worker& worker, NodeId teller, Notification death) {
  const auto told = MessageReader(death).take<Death>();
  check_below(told.node, view_.nodes(), "node that is dead");
  const auto dead = static_cast<NodeId>(told.node);
  if (dead == endpoint_.node()) {
    const rdma::Rendezvous& names = endpoint_.fabric().rendezvous();
    throw PeerMissing(names.describe(dead) + " was silent for too long: " + names.describe(teller) +
                      " has declared it dead");
  }
  if (!note(dead)) return;
  worker.core().reach("prism: told of a death");
  fence(dead);
}

// True: it was not known.
bool Deaths::note(NodeId dead) {
  const std::lock_guard guard(changing_);
  if (known_[dead]) return false;
  known_[dead] = true;
  return true;
}

// The phase does not end before others are told.
void Deaths::fence(NodeId dead) {
  endpoint_.drain().hold();
  if (endpoint_.connected(dead)) {
    endpoint_.fence(dead);
  } else {
    endpoint_.mark_dead(dead);
  }
  const std::lock_guard guard(changing_);
  to_tell_.push_back(dead);
}

// It is told first, in case that it is alive: afterwards nothing is sent to it. That needs a fiber
// of its own, since notifications to one that is dead may wait until it is known to be.
void Deaths::declare(rdma::Worker& worker, NodeId node) {
  if (!note(node)) return;
  worker.spawn([&worker, node] { notify(worker, node, Method::kDeath, Death{node}); });
  worker.yield();
  worker.yield();
  fence(node);
}

std::optional<NodeId> Deaths::next_to_tell() {
  const std::lock_guard guard(changing_);
  if (to_tell_.empty()) return std::nullopt;
  const NodeId dead = to_tell_.front();
  to_tell_.pop_front();
  return dead;
}

void Deaths::nap(rdma::Worker& worker) const {
  worker.sleep_until(worker.now() + std::min(options_.beat_every(), kLongestNap));
}

// A node that has stood still has not looked at what others have sent meanwhile.
bool Deaths::has_stood_still(rdma::Worker& worker, Nanoseconds& last_look) const {
  const Nanoseconds now = worker.now();
  return now - std::exchange(last_look, now) > options_.suspect_after / 4;
}

// The server's answer is its own sign of life. One that has died may owe no other.
void Deaths::beat(rdma::Worker& worker, NodeId server) {
  rdma::RpcBatch call(worker.rpc());
  const SignOfLife sign{.last = 0};
  Nanoseconds due = worker.now();
  while (!worker.over() && !endpoint_.is_dead(server)) {
    if (worker.now() >= due) {
      due = worker.now() + options_.beat_every();
      try {
        call.add(server, Method::kSignOfLife, std::as_bytes(std::span(&sign, 1)));
        call.post();
        asked_since_[server] = worker.now();
        call.wait();
        call.clear();
        asked_since_[server] = kNever;
      } catch (const PeerMissing&) {
        asked_since_[server] = kNever;
        if (spared_ != Spared::kAll) throw;
        return declare(worker, server);
      }
    }
    nap(worker);
  }
  notify(worker, server, Method::kSignOfLife, SignOfLife{.last = 1});
}

// Waits for nobody, or the dead would not be found.
void Deaths::watch_servers(rdma::Worker& worker) {
  Nanoseconds last_look = worker.now();
  for (; !worker.over(); nap(worker)) {
    const bool stood_still = has_stood_still(worker, last_look);
    for (const NodeId server : endpoint_.links().peers(endpoint_.node())) {
      if (endpoint_.is_dead(server) || asked_since_[server] == kNever) continue;
      if (stood_still) asked_since_[server] = worker.now();
      if (worker.now() - asked_since_[server] <= options_.suspect_after) continue;
      worker.core().reach("prism: server is silent for too long");
      declare(worker, server);
    }
  }
}

// A client that dies at once has told nothing; one that is alive may begin later than the server.
void Deaths::watch(rdma::Worker& worker) {
  Nanoseconds last_look = worker.now();
  Nanoseconds began = last_look;
  for (; !worker.over(); nap(worker)) {
    const bool stood_still = has_stood_still(worker, last_look);
    if (stood_still) began = worker.now();
    for (std::uint32_t n = 0; n < view_.nodes(); ++n) {
      const auto client = static_cast<NodeId>(n);
      if (!view_.computes(client) || endpoint_.is_dead(client)) continue;
      std::int64_t heard = heard_[n].load(std::memory_order_relaxed);
      if (heard == kNotYet && worker.now() - began > options_.suspect_after + kBeginning) {
        worker.core().reach("prism: client has never told that it is alive");
        declare(worker, client);
      }
      if (heard < 0) continue;
      if (stood_still) {
        heard_[n].compare_exchange_strong(heard, worker.now().count(), std::memory_order_relaxed);
        continue;
      }
      if (worker.now() - Nanoseconds(heard) <= options_.suspect_after) continue;
      worker.core().reach("prism: client is silent for too long");
      declare(worker, client);
    }
  }
}

void Deaths::tell(rdma::Worker& worker) {
  for (bool over = false; !over;) {
    over = worker.over();
    while (const auto dead = next_to_tell()) {
      for (const NodeId peer : endpoint_.links().peers(endpoint_.node())) {
        if (peer != *dead) notify(worker, peer, Method::kDeath, Death{*dead});
      }
      endpoint_.drain().release();
    }
    if (!over) nap(worker);
  }
}

std::vector<std::function<void()>> Deaths::background(rdma::Worker& worker) {
  if (worker.id() != 0) return {};
  std::vector<std::function<void()>> bodies;
  bodies.emplace_back([this, &worker] { tell(worker); });
  if (!view_.computes(endpoint_.node())) {
    bodies.emplace_back([this, &worker] { watch(worker); });
    return bodies;
  }
  for (const NodeId peer : endpoint_.links().peers(endpoint_.node())) {
    bodies.emplace_back([this, &worker, peer] { beat(worker, peer); });
  }
  if (spared_ == Spared::kAll) bodies.emplace_back([this, &worker] { watch_servers(worker); });
  return bodies;
}

}  // namespace verbena::txn::prism
