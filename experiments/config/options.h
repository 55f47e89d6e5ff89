// Everything that a command was asked for, resolved and checked.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "rdma/base/time.h"

namespace verbena::experiments {

enum class Command { kRun, kBench, kReproduce, kExplain, kList, kDoctor };

/// "run", "bench", "reproduce", "explain", "list" or "doctor".
const char* command_name(Command command);

/// The values of all settings (see setting.h) and overrides of one command. Plain data; `resolve`
/// makes it.
struct Options {
  Command command = Command::kRun;
  std::string operation;  ///< of bench and explain; of list a topic, or empty

  std::string fabric;  ///< "sim" or "verbs"
  std::uint32_t nodes = 0;
  std::uint32_t threads = 0;
  std::uint32_t coroutines = 0;
  std::string system;  ///< name, or path of a file
  std::string plan;    ///< changes of the system's plan, see txn::changed
  std::string workload;
  std::string warehouses;      ///< "auto" or a number
  std::string remote_percent;  ///< "auto" or a number
  std::string nic;
  std::string cpu;
  std::string topology;
  std::string platform;  ///< file; empty: `topology`
  std::uint32_t nics_per_node = 0;
  std::uint32_t connections = 0;
  std::string context;  ///< "dedicated", "shared" or "own-doorbells"
  std::uint32_t replicas = 0;
  std::uint64_t seed = 0;
  Nanoseconds duration = 0;
  Nanoseconds warmup = 0;
  bool verify = false;
  bool chaos = false;
  std::string json;  ///< file; empty: none

  std::uint32_t payload = 0;
  std::uint32_t request_payload = 0;
  std::uint32_t window = 0;
  std::uint32_t clients = 0;
  std::uint32_t servers = 0;
  std::string doorbell;  ///< "each" or "batched"
  std::string loop;      ///< "fibers" or "raw"
  bool rounds = false;
  std::uint32_t threads_per_queue_pair = 0;
  std::string transport;  ///< "rc" or "uc"
  std::uint32_t objects = 0;
  std::string primitive;  ///< "one-sided" or "two-sided"
  bool outstanding = false;
  bool passive = false;

  bool inlined = false;
  std::string state;  ///< "warm", "qp-miss" or "cold"

  std::string trace;  ///< file; empty: none
  std::uint64_t trace_limit = 0;
  Nanoseconds trace_from = 0;

  std::uint32_t node = 0;
  std::string peers;  ///< "host:port,..."; empty: this process hosts all nodes
  std::string device;
  std::uint32_t port = 0;  ///< 0: automatic
  std::string gid_index;   ///< "auto" or a number
  Nanoseconds bring_up_timeout = 0;

  std::vector<std::string> figures;         ///< of reproduce: names, files, groups
  std::vector<std::string> point_settings;  ///< of reproduce: KEY=VALUE for every point
  std::uint32_t jobs = 0;
  std::string out;  ///< directory
  bool fresh = false;
  bool strict = false;
  bool quick = false;
  bool list = false;

  /// What was set as SECTION.KEY, by key. The values are texts as given.
  std::map<std::string, std::string> overrides;

  /// Of bench, when settings or overrides were given lists of values: the lists' texts by key, and
  /// what each of the measurements was asked for; all else then is as in the first of these.
  std::map<std::string, std::string> lists;
  std::vector<Options> measurements;

  bool simulated() const { return fabric == "sim"; }

  /// Of bench: nodes that requests reach. A lone client does not send to itself.
  std::uint32_t receivers() const {
    return clients == 1 && servers == nodes && nodes > 1 ? servers - 1 : servers;
  }

  /// `peers`, split at commas.
  std::vector<std::string> peer_list() const;
};

}  // namespace verbena::experiments
