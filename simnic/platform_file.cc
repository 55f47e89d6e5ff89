// Trying a platform file in a process of its own.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <simgrid/s4u.hpp>
#include <stdexcept>

#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/text/counted.h"
#include "simnic/child_process.h"
#include "simnic/engine.h"
#include "simnic/platform.h"
#include "simnic/platform_text.h"
#include "simnic/profile_schema.h"

namespace verbena::simnic {
namespace {

namespace s4u = simgrid::s4u;

/// Clusters of up to so many nodes have all their routes tried, larger ones a part.
constexpr std::size_t kTryAll = 64;
/// Seconds of a link, as many as fabric.link_latency_ns may be: simulating more would not end.
constexpr double kMostLatency = 1;
/// Bytes per second: a message is so soon over that simulated time can be counted.
constexpr double kLeastBandwidth = 1000;

void try_route(const s4u::Host* from, const s4u::Host* to) {
  if (from == to) return;
  std::vector<s4u::Link*> links;
  double latency = 0;
  from->route_to(to, links, &latency);
  if (links.empty()) {
    throw std::runtime_error("no route from " + from->get_name() + " to " + to->get_name());
  }
}

void try_links(const s4u::Engine& engine) {
  for (const s4u::Link* link : engine.get_all_links()) {
    const std::string error = link_error(*link);
    if (!error.empty()) throw std::runtime_error(error);
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
      throw std::runtime_error(reason);
    }
  }
}

void try_platform(const std::string& path, std::uint32_t nodes) {
  std::string name = "verbena";
  std::string quiet = "--log=root.thresh:critical";
  char* arguments[] = {name.data(), quiet.data(), nullptr};
  int count = 2;
  const PlatformText text = read_platform_text(path);
  s4u::Engine::on_platform_created.disconnect_slots();
  s4u::Engine engine(&count, arguments);
  try_settings(text);
  load_platform_file(path);
  try_links(engine);
  const std::vector<s4u::Host*> hosts = first_hosts(nodes);
  if (hosts.size() < nodes) {
    throw std::runtime_error("has " + counted(hosts.size(), "host") +
                             "; expected one for each of " + counted(nodes, "node"));
  }
  for (const s4u::Host* host : hosts) {
    const auto profile = text.host_profiles.find(host->get_name());
    if (profile == text.host_profiles.end()) continue;
    throw std::runtime_error("host " + host->get_name() + " has the profile " + profile->second +
                             "; a node's machine is always on and equally fast");
  }
  // Said in case that SimGrid crashes for want of one.
  std::fputs("a route is missing\n", stderr);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
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
  try_platform(path, nodes);
}

/// In our words what SimGrid says in several lines, or of what it does not say which file it is.
std::string reworded(const std::string& line) {
  for (const char* stars : {"* BIG FAT WARNING *", " IS TOO OLD ", " COMES FROM THE FUTURE "}) {
    if (line.find(stars) == std::string::npos) continue;
    return "its version is not known; expected <platform version=\"4.1\">";
  }
  if (line.find("Not a valid model") != std::string::npos) {
    return "the routing of a zone is not known; SimGrid has Full, Floyd, Dijkstra and others";
  }
  return line;
}

/// The line that tells most of why SimGrid gave up.
std::string reason_in(const std::string& output) {
  std::string reason;
  std::size_t begin = 0;
  while (begin < output.size()) {
    const std::size_t end = std::min(output.find('\n', begin), output.size());
    std::string line = output.substr(begin, end - begin);
    const std::size_t critical = line.find("/CRITICAL] ");
    if (critical != std::string::npos) return line.substr(critical + 11);
    if (line.starts_with("Parse error")) return line;
    if (!line.empty() && line != "Segmentation fault.") reason = line;
    begin = end + 1;
  }
  return reason.empty() ? "it cannot be used" : reason;
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
  refuse(reworded(reason_in(trial.output)));
}

}  // namespace verbena::simnic
