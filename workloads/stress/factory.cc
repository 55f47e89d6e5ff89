// Parameters of the stress workload that users may set.
#include "workloads/stress/factory.h"

#include <utility>
#include <vector>

#include "workloads/stress/stress.h"

namespace verbena::workloads {
namespace {

Parameter count(const char* name, const char* help, std::uint32_t& target, double minimum,
                double maximum) {
  return {.name = name, .help = help, .target = &target, .minimum = minimum, .maximum = maximum};
}

Parameter percent(const char* name, const char* help, std::uint32_t& target) {
  return count(name, help, target, 0, 100);
}

std::vector<Parameter> transactions(StressOptions& options) {
  return {count("records", "records that a transaction uses, at most, besides those it scans",
                options.records, 1, 64),
          count("rounds", "rounds of fetching in a transaction, at most", options.rounds, 1, 16),
          count("scan_length", "keys that a scan gives, at most", options.scan_length, 1, 64),
          percent("read_percent", "transactions that only read, in percent", options.read_percent),
          {.name = "scan_percent",
           .help = "transactions that begin with a scan, in percent; auto: 15, or 0 on systems "
                   "that cannot scan",
           .target = &options.scan_percent,
           .maximum = 100},
          percent("roll_back_percent", "transactions that are rolled back, in percent",
                  options.roll_back_percent),
          percent("pause_percent", "rounds, in percent, after which a transaction waits",
                  options.pause_percent),
          count("pause_us", "longest wait of such a transaction, in microseconds", options.pause_us,
                1, 1e6)};
}

std::vector<Parameter> records(StressOptions& options) {
  return {count("keys_per_node",
                "keys of a node in each of the two tables; half of them exist at first",
                options.keys_per_node, 1, 1e6),
          count("group_keys",
                "keys with the same first digit, by which ordered indexes are divided: a power of "
                "two from 4 on; 0: all",
                options.group_keys, 0, 1e6),
          count("hot_keys", "hot keys among those of a node", options.hot_keys, 1, 1e6),
          percent("hot_percent", "uses of a hot key, in percent", options.hot_percent),
          percent("update_percent", "records that a writing transaction updates, in percent",
                  options.update_percent),
          percent("insert_percent", "records that it inserts, in percent", options.insert_percent),
          percent("erase_percent", "records that it erases, in percent", options.erase_percent),
          percent("leave_percent",
                  "records that it announces for a change and leaves as they are, in percent",
                  options.leave_percent),
          count("new_records", "room for the records that a run inserts into a table, on each node",
                options.new_records, 1, 1e8),
          {.name = "short_bytes",
           .help = "bytes of a record of the table `short`",
           .target = &options.short_bytes,
           .minimum = 8,
           .maximum = 4096,
           .step = 8},
          {.name = "long_bytes",
           .help = "bytes of a record of the table `long`",
           .target = &options.long_bytes,
           .minimum = 8,
           .maximum = 4096,
           .step = 8}};
}

std::vector<Parameter> parameters(StressOptions& options) {
  std::vector<Parameter> all = transactions(options);
  for (Parameter& parameter : records(options)) all.push_back(std::move(parameter));
  return all;
}

std::unique_ptr<Workload> make(const ClusterSize& size, const StressOptions& options) {
  return std::make_unique<Stress>(size, options);
}

}  // namespace

std::unique_ptr<WorkloadFactory> stress_factory() {
  const WorkloadInfo info = {
      .help =
          "random transactions of all kinds on few records, to find errors: they read, update, "
          "insert, erase, scan, wait and roll back",
      .sizes_follow_from = "workload.keys_per_node and workload.new_records",
      .small_tables = {{"keys_per_node", "12"}, {"new_records", "200"}}};
  return std::make_unique<OptionsFactory<StressOptions>>(info, parameters, make);
}

}  // namespace verbena::workloads
