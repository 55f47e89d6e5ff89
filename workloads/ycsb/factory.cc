// Parameters of YCSB that users may set.
#include "workloads/ycsb/factory.h"

#include <string>

#include "rdma/base/errors.h"
#include "workloads/ycsb/ycsb.h"

namespace verbena::workloads {
namespace {

Parameter percent(const char* name, const char* what, std::optional<std::uint32_t>& target) {
  return {.name = name,
          .help = std::string(what) + ", in percent; auto: as the core workload says",
          .target = &target,
          .minimum = 0,
          .maximum = 100,
          .condition = "with the other operations 100 together"};
}

std::vector<Parameter> operations(YcsbOptions& options) {
  return {{.name = "core",
           .help = "YCSB's core workload: A half updates, B few updates, C reads only, D reads "
                   "of the latest inserts, E scans, F read-modify-writes",
           .target = &options.core,
           .choices = ycsb::core_names()},
          percent("read_percent", "operations that read a record", options.read_percent),
          percent("update_percent", "operations that change a field", options.update_percent),
          percent("insert_percent", "operations that insert a record", options.insert_percent),
          percent("scan_percent", "transactions that read records in the order of keys",
                  options.scan_percent),
          percent("read_modify_write_percent", "operations that read and then change a record",
                  options.read_modify_write_percent),
          {.name = "keys_per_transaction",
           .help = "operations of a transaction that does not scan; 0: it only begins and commits, "
                   "and just that is measured",
           .target = &options.keys_per_transaction,
           .minimum = 0,
           .maximum = 64},
          {.name = "max_scan_length",
           .help = "most records that a scan reads; their number is uniform from 1 on",
           .target = &options.max_scan_length,
           .minimum = 1,
           .maximum = 500}};
}

std::vector<Parameter> keys(YcsbOptions& options) {
  return {{.name = "distribution",
           .help = "how popular records are; auto: as the core workload says",
           .target = &options.distribution,
           .choices = ycsb::distribution_names()},
          {.name = "zipf_coefficient",
           .help = "exponent of zipfian and latest: the record of rank k is used in proportion to "
                   "k to the power of minus it; 0 is uniform",
           .target = &options.zipf_coefficient,
           .minimum = 0,
           .maximum = 100},
          {.name = "local_percent",
           .help = "keys, in percent, on the client's own node; auto: all nodes alike",
           .target = &options.local_percent,
           .minimum = 0,
           .maximum = 100}};
}

std::vector<Parameter> records(YcsbOptions& options) {
  return {{.name = "records_per_worker",
           .help = "records of a node for each of its threads",
           .target = &options.records_per_worker,
           .minimum = 1,
           .maximum = 1e9},
          {.name = "records",
           .help = "records of the whole cluster, rounded up to as many on each node; 0: as "
                   "records_per_worker says",
           .target = &options.records,
           .minimum = 0,
           .maximum = 1e12},
          {.name = "update",
           .help = "what an update does: read the record and change a field, or replace the whole "
                   "record, which need not be read; auto: replace on key-value stores",
           .target = &options.update,
           .choices = {"auto", "change", "replace"}},
          {.name = "new_records_per_worker",
           .help = "room for the records that a run inserts, for each thread of a node",
           .target = &options.new_records_per_worker,
           .minimum = 1,
           .maximum = 1e9},
          {.name = "field_count",
           .help = "fields of a record",
           .target = &options.field_count,
           .minimum = 1,
           .maximum = 100},
          {.name = "field_bytes",
           .help = "bytes of a field, of which 8 count its changes",
           .target = &options.field_bytes,
           .minimum = 8,
           .maximum = 4096},
          {.name = "key_bytes",
           .help = "bytes of a key; bytes beyond 8 are kept in the record",
           .target = &options.key_bytes,
           .minimum = 8,
           .maximum = 1024}};
}

std::vector<Parameter> parameters(YcsbOptions& options) {
  std::vector<Parameter> all = operations(options);
  for (auto part : {keys(options), records(options)}) {
    for (Parameter& parameter : part) all.push_back(std::move(parameter));
  }
  return all;
}

std::unique_ptr<Workload> make(const ClusterSize& size, const YcsbOptions& options) {
  return std::make_unique<Ycsb>(size, options);
}

void check(const ClusterSize&, const YcsbOptions& options) { ycsb::mix_of(options); }

}  // namespace

std::unique_ptr<WorkloadFactory> ycsb_factory() {
  const WorkloadInfo info = {
      .help =
          "reads, updates, inserts and scans of single records, or of several in a "
          "transaction (YCSB's core workloads A to F)",
      .sizes_follow_from =
          "workload.records_per_worker or workload.records, workload.new_records_per_worker and "
          "--threads",
      .small_tables = {{"records_per_worker", "50"},
                       {"new_records_per_worker", "5000"},
                       {"field_count", "4"},
                       {"field_bytes", "40"},
                       {"max_scan_length", "10"},
                       {"keys_per_transaction", "3"}}};
  return std::make_unique<OptionsFactory<YcsbOptions>>(info, parameters, make, check);
}

}  // namespace verbena::workloads
