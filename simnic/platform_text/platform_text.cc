// Refusals of what a platform file says, tag by tag.
#include "simnic/platform_text/platform_text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "rdma/base/errors.h"
#include "rdma/base/input_file.h"
#include "rdma/base/text/split.h"
#include "simnic/platform_text/profile_lines.h"
#include "simnic/platform_text/tags.h"

namespace verbena::simnic {
namespace {

/// Settings of SimGrid's own models of networks, cores and MPI, none of which a cluster is made of.
constexpr std::array<std::string_view, 21> kWithoutEffect = {"bmf/max-iterations",
                                                             "bmf/precision",
                                                             "cpu/maxmin-selective-update",
                                                             "cpu/optim",
                                                             "maxmin/concurrency-limit",
                                                             "maxmin/precision",
                                                             "network/TCP-gamma",
                                                             "network/bandwidth-factor",
                                                             "network/crosstraffic",
                                                             "network/latency-factor",
                                                             "network/loopback-bw",
                                                             "network/loopback-lat",
                                                             "network/maxmin-selective-update",
                                                             "network/optim",
                                                             "network/weight-S",
                                                             "smpi/IB-penalty-factors",
                                                             "smpi/async-small-thresh",
                                                             "smpi/bw-factor",
                                                             "smpi/host-speed",
                                                             "smpi/lat-factor",
                                                             "smpi/send-is-detached-thresh"};

void check_setting(const std::string& key, const std::string& value) {
  if (std::ranges::find(kWithoutEffect, key) == kWithoutEffect.end()) {
    throw ConfigurationError("its <config> sets " + key +
                             "; allowed are settings of SimGrid's models of networks, CPUs and MPI "
                             "that nothing here uses, such as network/latency-factor");
  }
  // SimGrid would take what follows for further settings.
  if (value.find_first_of(" \t\r\n,") != std::string::npos) {
    throw ConfigurationError("its <config> gives " + key + " the value " + value +
                             "; expected one without spaces and commas");
  }
}

/// Throws for a host, cluster or other tag of which SimGrid 3.32 would make less than it says, or
/// that would do something.
void check_kind(const Tag& tag) {
  if (tag.name == "include") {
    throw ConfigurationError("has an <include>; expected all of the platform in one file");
  }
  if (tag.name == "actor" || tag.name == "process") {
    throw ConfigurationError("has the <" + tag.name + "> " + tag.attribute("function") +
                             ", as deployments have; expected hosts, links and routes only");
  }
  const std::string latency = tag.attribute("lat");
  if (tag.name == "peer" && latency.find_first_of("123456789") != std::string::npos) {
    throw ConfigurationError("peer " + tag.attribute("id") + " has the lat " + latency +
                             ", which SimGrid leaves out; expected a third coordinate instead");
  }
}

/// Checks the topology of a cluster that is not flat.
void check_topology(const Tag& cluster, const std::string& topology) {
  const auto refuse = [&](const std::string& key, const std::string& expected) {
    throw ConfigurationError("cluster " + cluster.attribute("id") + " has the " + key + " \"" +
                             cluster.attribute(key) + "\"; expected " + expected);
  };
  if (cluster.attribute("sharing_policy") == "FATPIPE") {
    refuse("sharing_policy",
           "SHARED or SPLITDUPLEX, since SimGrid 3.32 makes links of a " + topology + " no others");
  }
  const std::string parameters = cluster.attribute("topo_parameters");
  const bool torus = topology == "TORUS";
  if (parameters.find_first_not_of(torus ? "0123456789, " : "0123456789,; ") != std::string::npos) {
    refuse("topo_parameters",
           std::string("whole numbers between commas") + (torus ? "" : " and semicolons"));
  }
  // SimGrid joins router i of a group to group i, in the group's first chassis.
  const std::vector<std::string> parts = split(parameters, ';');
  if (topology == "DRAGONFLY" && parts.size() == 4 &&
      std::strtoul(parts[0].c_str(), nullptr, 10) > std::strtoul(parts[2].c_str(), nullptr, 10)) {
    refuse("topo_parameters", "as many routers in a chassis as groups, or more");
  }
}

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  void take(const Tag& tag) {
    if (tag.name == "config") in_config_ = !tag.ends;
    if (tag.name == "/config") in_config_ = false;
    if (in_config_ && tag.name == "prop") {
      check_setting(tag.attribute("id"), tag.attribute("value"));
      text_.settings.emplace_back(tag.attribute("id"), tag.attribute("value"));
    }
    check_kind(tag);
    if (tag.name == "cluster") take_cluster(tag);
    take_profiles(tag);
    add_host_profiles(tag);
  }

  PlatformText finish() { return std::move(text_); }

 private:
  void take_cluster(const Tag& tag) {
    const std::string topology = tag.attribute("topology");
    if (!topology.empty() && topology != "FLAT") {
      check_topology(tag, topology);
    } else if (tag.attribute("sharing_policy") == "FATPIPE") {
      text_.fat_clusters.push_back(tag.attribute("id"));
    }
  }

  void take_profiles(const Tag& tag) {
    for (const auto& [key, value] : tag.attributes) {
      const bool names_file = key.ends_with("_file") || (tag.name == "trace" && key == "file");
      if (!names_file || value.empty()) continue;
      check_profile_file(path_, value);
      text_.files.push_back(value);
    }
    if (tag.name == "trace" && tag.attribute("file").empty()) {
      check_profile("trace " + tag.attribute("id"), tag.content, tag.attribute("periodicity"));
    }
  }

  void add_host_profiles(const Tag& tag) {
    if (tag.name == "host" || tag.name == "peer") {
      for (const char* key : {"state_file", "speed_file", "availability_file"}) {
        const std::string file = tag.attribute(key);
        if (!file.empty()) text_.host_profiles[tag.attribute("id")] = key + (" " + file);
      }
    }
    // Without a kind it is one of a host's state.
    const std::string kind = tag.attribute("kind");
    if (tag.name != "trace_connect" || kind == "LINK_AVAIL" || kind == "BANDWIDTH" ||
        kind == "LATENCY") {
      return;
    }
    text_.host_profiles[tag.attribute("element")] = "trace " + tag.attribute("trace");
  }

  const std::string& path_;
  PlatformText text_;
  bool in_config_ = false;
};

}  // namespace

PlatformText read_platform_text(const std::string& path) {
  TagReader tags(read_input_file(path, "platform " + path));
  Reader reader(path);
  for (Tag tag; tags.next(tag);) reader.take(tag);
  return reader.finish();
}

}  // namespace verbena::simnic
