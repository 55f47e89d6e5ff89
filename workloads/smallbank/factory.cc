// Parameters of SmallBank that users may set.
#include "workloads/smallbank/factory.h"

#include "workloads/smallbank/smallbank.h"

namespace verbena::workloads {
namespace {

std::vector<Parameter> parameters(SmallBankOptions& options) {
  return {{.name = "accounts_per_worker",
           .help = "customers of a node for each of its threads; each has two accounts",
           .target = &options.accounts_per_worker,
           .minimum = 25,
           .maximum = 1e9},
          {.name = "hot_fraction",
           .help = "part of the customers, the first of every node, that are hot",
           .target = &options.hot_fraction,
           .minimum = 0.0001,
           .maximum = 1,
           .condition = "at least two hot accounts per node"},
          {.name = "hot_share",
           .help = "part of the transactions that use hot customers only; others use none",
           .target = &options.hot_share,
           .minimum = 0,
           .maximum = 1},
          {.name = "settled",
           .help = "begin with balances as after a long time, when 14 % are rolled back for lack "
                   "of money; otherwise all customers begin rich, and that share grows from 0",
           .target = &options.settled},
          {.name = "audit_percent",
           .help = "transactions, in percent, that read all accounts and compare their sum with "
                   "the initial one; others then only move money",
           .target = &options.audit_percent,
           .minimum = 0,
           .maximum = 100}};
}

std::unique_ptr<Workload> make(const ClusterSize& size, const SmallBankOptions& options) {
  return std::make_unique<SmallBank>(size.partitions, size.workers, options);
}

}  // namespace

std::unique_ptr<WorkloadFactory> smallbank_factory() {
  const WorkloadInfo info = {
      .help =
          "short transactions on customers' savings and checking accounts (H-Store's "
          "SmallBank)",
      .sizes_follow_from = "workload.accounts_per_worker and --threads",
      .small_tables = {{"accounts_per_worker", "100"}}};
  return std::make_unique<OptionsFactory<SmallBankOptions>>(info, parameters, make);
}

}  // namespace verbena::workloads
