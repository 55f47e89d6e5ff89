// A rendezvous for nodes that share one process.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rdma/seam/rendezvous.h"

namespace verbena::rdma {

/// Keeps what was published in a map. `fetch` waits on wall time only while the value is not there
/// yet, so a process whose nodes all publish before one fetches never waits.
class InMemoryRendezvous : public Rendezvous {
 public:
  void publish(NodeId self, const std::string& key, std::vector<std::byte> value) override;
  std::vector<std::byte> fetch(NodeId peer, const std::string& key, Nanoseconds timeout) override;

 private:
  std::mutex mutex_;
  std::condition_variable published_;
  std::map<std::pair<NodeId, std::string>, std::vector<std::byte>> values_;
};

}  // namespace verbena::rdma
