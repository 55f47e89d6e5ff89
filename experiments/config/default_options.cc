// What every setting is when nothing was said.
#include <algorithm>
#include <thread>

#include "experiments/config/bench_settings.h"
#include "experiments/config/catalog.h"
#include "experiments/config/explain_settings.h"
#include "experiments/config/run_settings.h"
#include "experiments/config/setting.h"

namespace verbena::experiments {
namespace {}  // namespace

Options default_options(Command command, const std::string& operation, bool simulated,
                        std::uint32_t peers) {
  Options options;
  options.command = command;
  options.operation = operation;
  options.fabric = simulated ? "sim" : "verbs";
  options.system = "drtmh";
  options.workload = "smallbank";
  options.warehouses = kAutomatic;
  options.remote_percent = kAutomatic;
  options.nic = default_nic();
  options.cpu = default_cpu();
  options.topology = "star";
  options.seed = 1;
  options.connections = 1;
  options.context = "dedicated";
  options.gid_index = "auto";
  options.jobs = std::max(1U, std::thread::hardware_concurrency());
  options.out = "verbena-figures";
  options.bring_up_timeout = 30 * kSecond;
  if (simulated) {
    // The cluster of the DrTM+H paper, section 3: 16 nodes, 24 threads, 2 ConnectX-4 each.
    options.nodes = 16;
    options.threads = 24;
    options.nics_per_node = 2;
    options.coroutines = 8;
    options.duration = 2 * kMillisecond;
    options.warmup = 500 * kMicrosecond;
  } else {
    options.nodes = peers != 0 ? peers : command == Command::kBench ? 2 : 3;
    options.threads = 1;
    options.nics_per_node = 1;
    options.coroutines = 8;
    options.duration = 2 * kSecond;
    options.warmup = 200 * kMillisecond;
  }
  options.replicas = std::min(options.nodes, 3U);
  options.trace_limit = 100'000;
  options.state = "warm";
  if (command == Command::kBench || command == Command::kExplain) set_bench_defaults(options);
  if (command == Command::kExplain) set_explain_defaults(options);
  return options;
}

}  // namespace verbena::experiments
