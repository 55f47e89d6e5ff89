// The engine between its making and the first cluster.
#include "simnic/world/loaded_platform.h"

#include <cassert>
#include <simgrid/s4u.hpp>

#include "simnic/world/engine.h"
#include "simnic/world/platform.h"

namespace verbena::simnic {

LoadedPlatform::LoadedPlatform(const std::string& path, std::uint32_t nodes) {
  check_platform_file(path, nodes);
  engine_ = make_engine();
  load_platform_file(path);
  hosts_ = first_hosts(nodes);
}
LoadedPlatform::~LoadedPlatform() = default;

simgrid::s4u::Engine& LoadedPlatform::take_engine() {
  assert(!taken_);
  taken_ = true;
  return *engine_;
}

}  // namespace verbena::simnic
