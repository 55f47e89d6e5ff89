// A rendezvous for nodes that share one process.
#include "rdma/seam/in_memory_rendezvous.h"

#include <chrono>
#include <stdexcept>

#include "rdma/base/errors.h"
#include "rdma/base/value_text.h"

namespace verbena::rdma {

void InMemoryRendezvous::publish(NodeId self, const std::string& key,
                                 std::vector<std::byte> value) {
  {
    const std::lock_guard lock(mutex_);
    const bool added = values_.try_emplace({self, key}, std::move(value)).second;
    if (!added) {
      throw std::logic_error("node " + std::to_string(self) + " publishes '" + key + "' twice");
    }
  }
  published_.notify_all();
}

std::vector<std::byte> InMemoryRendezvous::fetch(NodeId peer, const std::string& key,
                                                 Nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  const std::pair<NodeId, std::string> name(peer, key);
  const auto there = [&] { return values_.contains(name); };
  if (!there() && !published_.wait_for(lock, std::chrono::nanoseconds(timeout.count()), there)) {
    throw PeerMissing("node " + std::to_string(peer) + " (in this process) did not publish '" +
                      key + "' within " + format_duration(timeout));
  }
  return values_.at(name);
}

}  // namespace verbena::rdma
