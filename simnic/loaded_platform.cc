// The engine between its making and the first cluster.
#include "simnic/loaded_platform.h"

#include <cassert>
#include <simgrid/s4u.hpp>

#include "simnic/engine.h"
#include "simnic/platform.h"

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
