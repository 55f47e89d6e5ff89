// Making engines that leave the process as it was.
#include "simnic/engine.h"

#include <csignal>
#include <simgrid/s4u.hpp>

#include "rdma/base/errors.h"

namespace verbena::simnic {
namespace {

namespace s4u = simgrid::s4u;

// The sanitizers do not know the stacks that SimGrid switches to by itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kContextFactory = "thread";
#else
constexpr const char* kContextFactory = "raw";
#endif

}  // namespace

std::unique_ptr<s4u::Engine> make_engine() {
  std::string name = "verbena";
  std::string factory("--cfg=contexts/factory:");
  factory += kContextFactory;
  // Its warnings are of models that nothing here uses; what a platform may have is checked before.
  std::string quiet = "--log=root.thresh:critical";
  char* arguments[] = {name.data(), quiet.data(), factory.data(), nullptr};
  int count = 3;
  struct sigaction interrupt {};
  sigaction(SIGINT, nullptr, &interrupt);
  // Each engine leaves a callback that a platform file calls, and does not take it back at its end.
  s4u::Engine::on_platform_created.disconnect_slots();
  auto engine = std::make_unique<s4u::Engine>(&count, arguments);
  // SimGrid's answer to Ctrl-C is a list of all actors.
  sigaction(SIGINT, &interrupt, nullptr);
  // The actors only stand for the cores, whose code runs on stacks of its own.
  s4u::Engine::set_config("contexts/stack-size:16");
  s4u::Engine::set_config("contexts/guard-size:0");
  return engine;
}

void load_platform_file(const std::string& path) {
  s4u::Engine& engine = *s4u::Engine::get_instance();
  engine.load_platform(path);
  if (engine.get_netzone_root() == nullptr) throw ConfigurationError("has no <zone>");
  // Engine::seal_platform does nothing for a process's second engine.
  engine.get_netzone_root()->seal();
}

}  // namespace verbena::simnic
