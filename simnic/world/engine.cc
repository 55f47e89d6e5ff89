// Making engines that leave the process as it was.
#include "simnic/world/engine.h"

#include <csignal>
#include <simgrid/s4u.hpp>

#include "rdma/base/errors.h"
#include "simnic/platform_text/platform_text.h"

namespace verbena::simnic {
namespace {

namespace s4u = simgrid::s4u;

// The sanitizers do not know the stacks that SimGrid switches to by itself.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr const char* kContextFactory = "thread";
#else
constexpr const char* kContextFactory = "raw";
#endif

/// Makes FATPIPE links of those whose names are `begin` and a number.
void make_fat(const s4u::Engine& engine, const std::string& begin) {
  for (s4u::Link* link : engine.get_all_links()) {
    const std::string& name = link->get_name();
    if (name.starts_with(begin) &&
        name.find_first_not_of("0123456789", begin.size()) == std::string::npos) {
      link->set_sharing_policy(s4u::Link::SharingPolicy::FATPIPE);
    }
  }
}

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
  for (const std::string& cluster : read_platform_text(path).fat_clusters) {
    make_fat(engine, cluster + "_link_");
  }
  // Engine::seal_platform does nothing for a process's second engine.
  engine.get_netzone_root()->seal();
}

}  // namespace verbena::simnic
