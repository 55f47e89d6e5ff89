// A platform that is loaded once, for clusters of several processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace simgrid::s4u {
class Engine;
}

namespace verbena::simnic {

/// The hosts and links of a platform file, at SimGrid's time 0. The next cluster takes them, and
/// time goes on: profiles of links cannot be put back. So of a process and its forks, each may make
/// one cluster of it.
class LoadedPlatform {
 public:
  /// Throws ConfigurationError unless SimGrid can load the file, for so many nodes. No engine may
  /// exist, and none but this one until it has been taken and its cluster is gone.
  LoadedPlatform(const std::string& path, std::uint32_t nodes);
  ~LoadedPlatform();
  LoadedPlatform(const LoadedPlatform&) = delete;
  LoadedPlatform& operator=(const LoadedPlatform&) = delete;

  /// Gives the engine away, once.
  std::unique_ptr<simgrid::s4u::Engine> take_engine();

 private:
  std::unique_ptr<simgrid::s4u::Engine> engine_;
};

}  // namespace verbena::simnic
