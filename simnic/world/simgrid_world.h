// The SimGrid side: engine, hosts, links, actors, and the model that lets the cluster take part in
// SimGrid's time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simnic/nic/cluster.h"

namespace verbena::simnic {

/// SimGrid's engine with a platform for `cluster`, whose topology it sets. One at a time per
/// process.
class SimGridWorld {
 public:
  explicit SimGridWorld(Cluster& cluster);
  ~SimGridWorld();
  SimGridWorld(const SimGridWorld&) = delete;
  SimGridWorld& operator=(const SimGridWorld&) = delete;

  /// Runs the cores that the cluster was given last, each node's as one actor on its host, until
  /// all have finished, a task has thrown, or no core would ever run again. Returns how the
  /// cluster's part of it ended.
  Windows::Progress run();

  /// Lists for people the links of routes that are down, and since when; empty when all are up.
  std::string links_down() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace verbena::simnic
