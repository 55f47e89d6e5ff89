// Parameters of TPC-E's customer-position that users may set.
#include "workloads/tpce/factory.h"

#include "workloads/tpce/tpce.h"

namespace verbena::workloads {
namespace {

std::vector<Parameter> parameters(TpceOptions& options) {
  return {{.name = "customers_per_node",
           .help = "customers of a node; 685 securities come with each thousand",
           .target = &options.customers_per_node,
           .minimum = 1000,
           .maximum = 1e6,
           .step = 1000},
          {.name = "market_feed_percent",
           .help = "transactions, in percent, that instead change the prices of 20 last trades",
           .target = &options.market_feed_percent,
           .minimum = 0,
           .maximum = 100}};
}

std::unique_ptr<Workload> make(const ClusterSize& size, const TpceOptions& options) {
  return std::make_unique<Tpce>(size.partitions, options);
}

}  // namespace

std::unique_ptr<WorkloadFactory> tpce_factory() {
  const WorkloadInfo info = {
      .help =
          "a customer's accounts valued by the last trades of their securities, read only "
          "(TPC-E's customer-position)",
      .sizes_follow_from = "workload.customers_per_node",
      .small_tables = {{"customers_per_node", "1000"}, {"market_feed_percent", "30"}}};
  return std::make_unique<OptionsFactory<TpceOptions>>(info, parameters, make);
}

}  // namespace verbena::workloads
