// Trying a platform file in a process of its own.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <simgrid/s4u.hpp>
#include <stdexcept>

#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/text/counted.h"
#include "rdma/base/text/split.h"
#include "simnic/platform_text/platform_text.h"
#include "simnic/profile/profile_schema.h"
#include "simnic/world/child_process.h"
#include "simnic/world/engine.h"
#include "simnic/world/platform.h"

namespace verbena::simnic {
namespace {

namespace s4u = simgrid::s4u;

/// Clusters of up to so many nodes have all their routes tried, larger ones a part.
constexpr std::size_t kTryAll = 64;
/// Seconds of a link and of a route, as many as fabric.link_latency_ns may be: simulating more
/// would not end.
constexpr double kMostLatency = 1;
/// Seconds of computing, and memory, that SimGrid may take for a file.
constexpr rlim_t kMostSeconds = 20;
constexpr rlim_t kMostGibibytes = 4;
/// Begins a line that tells what is wrong if SimGrid crashes then.
constexpr char kStep = '\1';
/// Bytes per second: a message is so soon over that simulated time can be counted.
constexpr double kLeastBandwidth = 1000;

/// Keeps SimGrid from taking all that the machine has for a file.
void limit_work() {
  const auto limit = [](auto resource, rlim_t most) {
    rlimit limits{};
    getrlimit(resource, &limits);
    limits.rlim_cur = std::min(limits.rlim_cur, most);
    setrlimit(resource, &limits);
  };
  limit(RLIMIT_CPU, kMostSeconds);
  limit(RLIMIT_CORE, 0);
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto page = static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  limit(RLIMIT_AS, pages * page + (kMostGibibytes << 30));
}

void begin_step(const std::string& error) { std::fputs((kStep + error + "\n").c_str(), stderr); }

void try_route(const s4u::Host* from, const s4u::Host* to) {
  if (from == to) return;
  std::vector<s4u::Link*> links;
  double latency = 0;
  from->route_to(to, links, &latency);
  std::string error = route_error(*from, *to, latency);
  if (links.empty()) {
    const std::string ends = " from " + from->get_name() + " to " + to->get_name();
    error = latency == 0 ? "no route" + ends
                         : "the route" + ends + " has no links; expected one or more";
  }
  if (!error.empty()) throw ConfigurationError(error);
}

void try_links(const s4u::Engine& engine) {
  for (const s4u::Link* link : engine.get_all_links()) {
    const std::string error = link_error(*link);
    if (!error.empty()) throw ConfigurationError(error);
  }
}

/// SimGrid does not say which setting it is that has a bad value.
void try_settings(const PlatformText& text) {
  for (const auto& [key, value] : text.settings) {
    try {
      std::string setting = key;
      setting += ':';
      setting += value;
      s4u::Engine::set_config(setting);
    } catch (const std::exception& error) {
      std::string reason = "its <config> gives ";
      reason += key;
      reason += " the value ";
      reason += value;
      reason += ": ";
      reason += error.what();
      throw ConfigurationError(reason);
    }
  }
}

void try_platform(const std::string& path, std::uint32_t nodes) {
  std::string name = "verbena";
  std::string quiet = "--log=root.thresh:critical";
  char* arguments[] = {name.data(), quiet.data(), nullptr};
  int count = 2;
  limit_work();
  begin_step("SimGrid crashes when it reads it");
  const PlatformText text = read_platform_text(path);
  s4u::Engine::on_platform_created.disconnect_slots();
  s4u::Engine engine(&count, arguments);
  try_settings(text);
  load_platform_file(path);
  try_links(engine);
  const std::vector<s4u::Host*> hosts = first_hosts(nodes);
  if (hosts.size() < nodes) {
    throw ConfigurationError("has " + counted(hosts.size(), "host") +
                             "; expected one for each of " + counted(nodes, "node"));
  }
  for (const s4u::Host* host : hosts) {
    const auto profile = text.host_profiles.find(host->get_name());
    if (profile == text.host_profiles.end()) continue;
    throw ConfigurationError("host " + host->get_name() + " has the profile " + profile->second +
                             "; a node's machine is always on and equally fast");
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    begin_step("a route from or to " + hosts[i]->get_name() + " is missing");
    for (std::size_t j = 0; j < hosts.size() && j < kTryAll; ++j) {
      try_route(hosts[i], hosts[j]);
      try_route(hosts[j], hosts[i]);
    }
  }
}

/// In a copy of the process: SimGrid's own lines go to `output`, too.
void try_in_child(const std::string& path, std::uint32_t nodes, int output) {
  dup2(output, STDERR_FILENO);
  dup2(output, STDOUT_FILENO);
  try {
    try_platform(path, nodes);
  } catch (const ConfigurationError& error) {
    // Names in the file may be of several lines.
    std::string line = error.what();
    std::ranges::replace(line, '\n', ' ');
    throw ConfigurationError(line);
  }
}

/// Without the addresses in memory that SimGrid names.
std::string without_address(std::string line) {
  const std::size_t begin = line.find(" (0x");
  if (begin != std::string::npos) line.erase(begin, line.find(')', begin) + 1 - begin);
  return line;
}

/// In our words what SimGrid says in several lines, or of what it does not say which file it is.
std::string reworded(const std::string& line) {
  const auto has = [&](const char* part) { return line.find(part) != std::string::npos; };
  if (has("* BIG FAT WARNING *") || has(" IS TOO OLD ") || has(" COMES FROM THE FUTURE ")) {
    return "its version is not known; expected <platform version=\"4.1\">";
  }
  if (has("Not a valid model")) {
    return "the routing of a zone is not known; SimGrid has Full, Floyd, Dijkstra and others";
  }
  if (has(" in prolog.") || has("Bad declaration ")) {
    return "is no platform; expected <?xml version=\"1.0\"?>, <!DOCTYPE platform SYSTEM "
           "\"https://simgrid.org/simgrid.dtd\">, <platform version=\"4.1\"> at its beginning";
  }
  if (has("Invalid CPU model: nullptr")) {
    return "has a zone beside another; expected one that the others lie in";
  }
  if (has("There can't be route in an Empty zone")) {
    return "a zone of the routing None has no routes; expected Full, Floyd, Dijkstra or others";
  }
  if (has("Flex returned an error code")) return "goes on after </platform>; expected its end";
  if (line == "stoi" || line == "stod") return "has a number that is none, or that is too large";
  if (line == "std::bad_alloc") {
    return "takes SimGrid more than " + std::to_string(kMostGibibytes) + " GiB of memory";
  }
  const std::size_t names_nothing = line.find(" does name a node.");
  if (names_nothing != std::string::npos) {
    return line.substr(0, names_nothing) + " names no node; expected a host, router or zone of it";
  }
  return without_address(line);
}

/// The line that tells most of why SimGrid gave up.
std::string reason_in(const ChildWork& trial) {
  if (trial.signal == SIGXCPU) {
    return "takes SimGrid more than " + std::to_string(kMostSeconds) + " s of computing";
  }
  std::string reason = "it cannot be used";
  std::string step;
  for (const std::string& line : split(trial.output, '\n')) {
    const std::size_t critical = line.find("/CRITICAL] ");
    if (critical != std::string::npos) return line.substr(critical + 11);
    if (line.starts_with("Parse error")) return line;
    if (line.starts_with(kStep)) {
      step = line.substr(1);
    } else if (!line.empty()) {
      reason = line;
    }
  }
  return trial.signal == 0 ? reason : step;
}

}  // namespace

std::string link_error(const s4u::Link& link) {
  if (link.get_sharing_policy() == s4u::Link::SharingPolicy::WIFI) {
    return "link " + link.get_name() + " is a WIFI link; these are not simulated";
  }
  if (!(link.get_bandwidth() >= kLeastBandwidth)) {
    return "the bandwidth of link " + link.get_name() + " is " +
           plain_number(link.get_bandwidth()) + " B/s; allowed are " +
           plain_number(kLeastBandwidth) + " B/s or more";
  }
  if (!(link.get_latency() >= 0 && link.get_latency() <= kMostLatency)) {
    return "the latency of link " + link.get_name() + " is " + plain_number(link.get_latency()) +
           " s; allowed are 0 to " + plain_number(kMostLatency) + " s";
  }
  return "";
}

std::string route_error(const s4u::Host& from, const s4u::Host& to, double seconds) {
  if (seconds >= 0 && seconds <= kMostLatency) return "";
  return "the latency of the route from " + from.get_name() + " to " + to.get_name() + " is " +
         plain_number(seconds) + " s; allowed are 0 to " + plain_number(kMostLatency) + " s";
}

void check_platform_file(const std::string& path, std::uint32_t nodes) {
  const auto refuse = [&](const std::string& reason) {
    throw ConfigurationError("platform " + path + ": " + reason);
  };
  // SimGrid takes other names for libraries to load.
  if (!path.ends_with(".xml")) refuse("expected the name of an XML file, which ends in .xml");
  const std::string text = read_input_file(path, "platform " + path);
  if (text.empty()) refuse("is empty");
  // SimGrid's reader takes it for the beginning of a text that is no XML.
  if (std::filesystem::file_size(path) > text.size()) {
    refuse("begins with a byte order mark; expected UTF-8 without one");
  }
  const ChildWork trial = work_in_child([&](int output) { try_in_child(path, nodes, output); });
  if (trial.succeeded) return;
  refuse(reworded(reason_in(trial)));
}

}  // namespace verbena::simnic
