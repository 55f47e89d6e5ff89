// A platform that is loaded once for the clusters of several processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace simgrid::s4u {
class Engine;
class Host;
}  // namespace simgrid::s4u

namespace verbena::simnic {

/// The hosts and links of a platform file, at SimGrid's time 0. It serves one cluster, since time
/// goes on and profiles of links cannot be put back. So a process and its forks may make one
/// cluster each of it.
class LoadedPlatform {
 public:
  /// Throws ConfigurationError unless SimGrid can load the file for `nodes` nodes. No engine may
  /// exist, and no other may while it lives. Outlives its cluster.
  LoadedPlatform(const std::string& path, std::uint32_t nodes);
  ~LoadedPlatform();
  LoadedPlatform(const LoadedPlatform&) = delete;
  LoadedPlatform& operator=(const LoadedPlatform&) = delete;

  /// Returns the engine, once. Ownership stays here: copies of the process exit without freeing it.
  simgrid::s4u::Engine& take_engine();
  /// Hosts of the nodes, in their order.
  const std::vector<simgrid::s4u::Host*>& hosts() const { return hosts_; }

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
  std::vector<simgrid::s4u::Host*> hosts_;
  bool taken_ = false;
};

}  // namespace verbena::simnic
