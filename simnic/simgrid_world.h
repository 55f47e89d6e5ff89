// The SimGrid side: engine, hosts, links, actors, and the model that gives the cluster its place in
// SimGrid's time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simnic/cluster.h"

namespace verbena::simnic {

/// SimGrid's engine with a platform on which `cluster` lives. This is the only part of simnic that
/// knows SimGrid. Sets the cluster's topology. One at a time per process.
class SimGridWorld {
 public:
  explicit SimGridWorld(Cluster& cluster);
  ~SimGridWorld();
  SimGridWorld(const SimGridWorld&) = delete;
  SimGridWorld& operator=(const SimGridWorld&) = delete;

  /// Runs the cores that the cluster was given last, each represented by an actor on its node's
  /// host, until all have finished, a task has thrown, or no core would ever run again. Returns how
  /// the cluster's part of it ended.
  Cluster::Progress run();

  /// Which links that routes use are down and since when, for people; empty when all are up.
  std::string links_down() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace verbena::simnic
