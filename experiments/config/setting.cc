// The table of settings, and how their values are read and printed.
#include "experiments/config/setting.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "experiments/config/bench_settings.h"
#include "experiments/config/catalog.h"
#include "experiments/config/explain_settings.h"
#include "experiments/config/run_settings.h"
#include "experiments/config/units.h"
#include "rdma/base/errors.h"
#include "rdma/base/nearest_name.h"
#include "simnic/topology_spec.h"

namespace verbena::experiments {
namespace {

std::string check_file(const std::string& text) {
  return text.empty() ? "expected the name of a file" : "";
}

std::string check_directory(const std::string& text) {
  return text.empty() ? "expected the name of a directory" : "";
}

std::string check_device(const std::string& text) {
  return text.empty() ? "expected the name of a device, as `verbena doctor` lists them" : "";
}

std::string check_gid_index(const std::string& text) {
  const auto index = parse_whole(text);
  return text == "auto" || (index && *index <= 255)
             ? ""
             : "expected auto or a whole number from 0 to 255";
}

std::string check_peers(const std::string& text) {
  Options holder;
  holder.peers = text;
  const std::vector<std::string> peers = holder.peer_list();
  if (peers.empty()) return "expected host:port,host:port,...";
  for (const std::string& peer : peers) {
    const std::size_t colon = peer.rfind(':');
    const auto port = parse_whole(peer.substr(colon + 1));
    if (colon == std::string::npos || colon == 0 || !port || *port < 1 || *port > 65535) {
      return fmt::format("'{}' is not host:port with a port from 1 to 65535", printable(peer));
    }
    if (std::count(peers.begin(), peers.end(), peer) > 1) {
      return fmt::format("'{}' is there twice", printable(peer));
    }
  }
  return "";
}

std::vector<Setting> cluster_settings() {
  return {
      {.name = "fabric",
       .placeholder = "sim|verbs",
       .help = "what carries the requests: the simulation or libibverbs",
       .target = &Options::fabric,
       .choices = {"sim", "verbs"}},
      {.name = "nodes",
       .placeholder = "N",
       .help = "machines of the cluster",
       .target = &Options::nodes,
       .commands = kForSimulating,
       .minimum = 1,
       .maximum = 1024},
      {.name = "threads",
       .placeholder = "N",
       .help = "worker threads of a node",
       .target = &Options::threads,
       .minimum = 1,
       .maximum = 256},
      {.name = "coroutines",
       .placeholder = "N",
       .help = "coroutines of a worker: transactions (run) or loops (bench) at once",
       .target = &Options::coroutines,
       .minimum = 1,
       .maximum = 256},
      {.name = "nic",
       .placeholder = "NAME",
       .help = "profile of the NICs, or the path of a TOML file that is one",
       .target = &Options::nic,
       .commands = kForSimulating,
       .fabric = FabricKind::kSim,
       .choices = nic_names(),
       .file_too = true},
      {.name = "cpu",
       .placeholder = "NAME",
       .help = "profile of the CPUs, or the path of a TOML file that is one",
       .target = &Options::cpu,
       .commands = kForSimulating,
       .fabric = FabricKind::kSim,
       .choices = cpu_names(),
       .file_too = true},
      {.name = "topology",
       .placeholder = "KIND[:PARAMETERS]",
       .help = "network of the nodes: star, fat-tree, dragonfly or torus, with parameters that "
               "suit the nodes or with yours in SimGrid's notation, e.g. 'fat-tree:2;4,4;1,2;1,2'",
       .target = &Options::topology,
       .commands = kForSimulating,
       .fabric = FabricKind::kSim,
       .check = simnic::topology_syntax_error},
      {.name = "platform",
       .placeholder = "FILE.xml",
       .help = "network of the nodes: a SimGrid platform; nodes are its first hosts by name",
       .target = &Options::platform,
       .commands = kForSimulating,
       .fabric = FabricKind::kSim,
       .check = check_file},
      {.name = "nics-per-node",
       .placeholder = "N",
       .help = "NICs of a node, shared by its workers; at most as many as --threads",
       .target = &Options::nics_per_node,
       .commands = kForSimulating,
       .minimum = 1,
       .maximum = 16},
      {.name = "connections",
       .placeholder = "N",
       .help = "RC queue pairs of a worker to each peer, one taken at random by what is posted "
               "together; more emulate a larger cluster",
       .target = &Options::connections,
       .minimum = 1,
       .maximum = 64},
      {.name = "context",
       .placeholder = "NAME",
       .help = "verbs contexts: dedicated to each worker, shared by those of a NIC, or shared but "
               "with own-doorbells (a thread domain for each worker)",
       .target = &Options::context,
       .choices = {"dedicated", "shared", "own-doorbells"}},
  };
}

std::vector<Setting> process_settings() {
  constexpr std::uint64_t kLongest = 3600 * static_cast<std::uint64_t>(kSecond);
  return {
      {.name = "seed",
       .placeholder = "N",
       .help = "from which every random choice derives",
       .target = &Options::seed,
       .commands = kForSimulating},
      {.name = "duration",
       .placeholder = "TIME",
       .help = "of the measurement, e.g. 500us, 2ms, 1.5s; simulated time on the simulation",
       .target = &Options::duration,
       .minimum = kMicrosecond,
       .maximum = kLongest},
      {.name = "warmup",
       .placeholder = "TIME",
       .help = "time before the measurement",
       .target = &Options::warmup,
       .maximum = kLongest},
      {.name = "verify",
       .placeholder = "",
       .help = "check serializability, money, locks and replicas afterwards",
       .target = &Options::verify,
       .commands = kForRun},
      {.name = "chaos",
       .placeholder = "",
       .help = "simulate interleavings of single cache lines, which takes longer",
       .target = &Options::chaos,
       .fabric = FabricKind::kSim},
      {.name = "json",
       .placeholder = "FILE",
       .help = "write the results to this file as JSON",
       .target = &Options::json,
       .commands = kForSimulating,
       .check = check_file},
      {.name = "jobs",
       .placeholder = "N",
       .help = "points that are measured at once, each by a process of its own",
       .target = &Options::jobs,
       .commands = kForReproduce,
       .minimum = 1,
       .maximum = 1024},
      {.name = "out",
       .placeholder = "DIR",
       .help = "directory of the results; points that are there already are not measured again",
       .target = &Options::out,
       .commands = kForReproduce,
       .check = check_directory},
      {.name = "fresh",
       .placeholder = "",
       .help = "measure all points again",
       .target = &Options::fresh,
       .commands = kForReproduce},
      {.name = "strict",
       .placeholder = "",
       .help = "exit code 1 when a claim does not hold",
       .target = &Options::strict,
       .commands = kForReproduce},
      {.name = "quick",
       .placeholder = "",
       .help =
           "fewer points of each figure that has some to spare; claims that need the others are "
           "not judged",
       .target = &Options::quick,
       .commands = kForReproduce},
      {.name = "list",
       .placeholder = "",
       .help = "show the figures that there are, and measure nothing",
       .target = &Options::list,
       .commands = kForReproduce},
      {.name = "node",
       .placeholder = "N",
       .help = "which of the peers this process is, from 0",
       .target = &Options::node,
       .fabric = FabricKind::kVerbs,
       .maximum = 1023},
      {.name = "peers",
       .placeholder = "HOST:PORT,...",
       .help = "one process per node, at these addresses; otherwise this process hosts all nodes",
       .target = &Options::peers,
       .fabric = FabricKind::kVerbs,
       .check = check_peers},
      {.name = "device",
       .placeholder = "NAME",
       .help = "RDMA device; otherwise the first active one",
       .target = &Options::device,
       .commands = kForMeasuring | kForDoctor,
       .fabric = FabricKind::kVerbs,
       .check = check_device},
      {.name = "port",
       .placeholder = "N",
       .help = "port of the device; otherwise the first active one",
       .target = &Options::port,
       .commands = kForMeasuring | kForDoctor,
       .fabric = FabricKind::kVerbs,
       .minimum = 1,
       .maximum = 255},
      {.name = "gid-index",
       .placeholder = "N|auto",
       .help = "entry of the port's GID table",
       .target = &Options::gid_index,
       .commands = kForMeasuring | kForDoctor,
       .fabric = FabricKind::kVerbs,
       .check = check_gid_index},
      {.name = "bring-up-timeout",
       .placeholder = "TIME",
       .help = "how long to wait for the peers to come up",
       .target = &Options::bring_up_timeout,
       .fabric = FabricKind::kVerbs,
       .minimum = kMillisecond,
       .maximum = kLongest},
  };
}

std::vector<Setting> make_settings() {
  std::vector<Setting> table = cluster_settings();
  for (const std::vector<Setting>& more :
       {run_settings(), bench_settings(), explain_settings(), process_settings()}) {
    table.insert(table.end(), more.begin(), more.end());
  }
  return table;
}

[[noreturn]] void refuse(const std::string& place, const std::string& text,
                         const std::string& expected) {
  throw ConfigurationError(
      fmt::format("{} {}: {}", place, text.empty() ? "''" : printable(text), expected));
}

std::uint64_t whole_in_range(const Setting& setting, std::uint64_t largest, const std::string& text,
                             const std::string& place) {
  const auto value = parse_whole(text);
  const std::uint64_t maximum = std::min(setting.maximum, largest);
  if (!value || *value < setting.minimum || *value > maximum) {
    refuse(place, text,
           fmt::format("expected a whole number from {} to {}", setting.minimum, maximum));
  }
  return *value;
}

Nanoseconds duration_in_range(const Setting& setting, const std::string& text,
                              const std::string& place) {
  const auto value = parse_duration(text);
  if (!value || static_cast<std::uint64_t>(*value) < setting.minimum ||
      static_cast<std::uint64_t>(*value) > setting.maximum) {
    refuse(place, text,
           fmt::format("expected a time from {} to {} with its unit (ns, us, ms, s, min)",
                       format_duration(static_cast<std::int64_t>(setting.minimum)),
                       format_duration(static_cast<std::int64_t>(setting.maximum))));
  }
  return *value;
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".toml");
}

void check_text(const Setting& setting, const std::string& text, const std::string& place) {
  if (setting.check != nullptr) {
    if (const std::string expected = setting.check(text); !expected.empty()) {
      refuse(place, text, expected);
    }
  }
  if (setting.choices.empty()) return;
  if (setting.file_too && is_path(text)) {
    if (text.ends_with(".toml")) return;
    refuse(place, text, fmt::format("the file of a {} has to end in .toml", setting.name));
  }
  if (std::find(setting.choices.begin(), setting.choices.end(), text) == setting.choices.end()) {
    refuse(place, text,
           fmt::format("unknown {}{} (known: {})", setting.name,
                       did_you_mean(text, setting.choices), fmt::join(setting.choices, ", ")));
  }
}

}  // namespace

unsigned command_bit(Command command) {
  switch (command) {
    case Command::kRun:
      return kForRun;
    case Command::kBench:
      return kForBench;
    case Command::kExplain:
      return kForExplain;
    case Command::kDoctor:
      return kForDoctor;
    case Command::kReproduce:
      return kForReproduce;
    case Command::kList:
      return 0;
  }
  return 0;
}

std::span<const Setting> settings() {
  static const std::vector<Setting> table = make_settings();
  return table;
}

const Setting* find_setting(std::string_view name) {
  const auto all = settings();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Setting& s) { return s.name == name; });
  return found == all.end() ? nullptr : &*found;
}

void assign(const Setting& setting, const std::string& text, const std::string& place,
            Options& options) {
  struct Visitor {
    const Setting& setting;
    const std::string& text;
    const std::string& place;
    Options& options;

    void operator()(std::uint32_t Options::*target) const {
      options.*target =
          static_cast<std::uint32_t>(whole_in_range(setting, UINT32_MAX, text, place));
    }
    void operator()(std::uint64_t Options::*target) const {
      options.*target = whole_in_range(setting, UINT64_MAX, text, place);
    }
    void operator()(Nanoseconds Options::*target) const {
      options.*target = duration_in_range(setting, text, place);
    }
    void operator()(bool Options::*target) const {
      const auto value = parse_switch(text);
      if (!value) refuse(place, text, "expected true or false");
      options.*target = *value;
    }
    void operator()(std::string Options::*target) const {
      check_text(setting, text, place);
      options.*target = text;
      // So that results can be repeated from another directory.
      if (setting.file_too && is_path(text)) {
        options.*target = std::filesystem::absolute(text).lexically_normal();
      }
    }
  };
  std::visit(Visitor{setting, text, place, options}, setting.target);
}

std::string value_text(const Setting& setting, const Options& options) {
  struct Visitor {
    const Options& options;

    std::string operator()(std::uint32_t Options::*target) const {
      return std::to_string(options.*target);
    }
    std::string operator()(std::uint64_t Options::*target) const {
      return std::to_string(options.*target);
    }
    std::string operator()(Nanoseconds Options::*target) const {
      return format_duration(options.*target);
    }
    std::string operator()(bool Options::*target) const {
      return options.*target ? "true" : "false";
    }
    std::string operator()(std::string Options::*target) const { return options.*target; }
  };
  const auto list = options.lists.find(setting.name);
  if (list != options.lists.end()) return list->second;
  return std::visit(Visitor{options}, setting.target);
}

}  // namespace verbena::experiments
