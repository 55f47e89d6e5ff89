// Parameters of TPC-C that users may set.
#include "workloads/tpcc/factory.h"

#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "workloads/tpcc/tpcc.h"

namespace verbena::workloads {
namespace {

// Warehouses are numbered by 16 bits.
constexpr std::uint32_t kMostWarehouses = UINT16_MAX;

std::vector<Parameter> inputs(TpccOptions& options) {
  return {{.name = "warehouses",
           .help = "warehouses of the whole cluster, a multiple of --nodes; auto: one per worker",
           .target = &options.warehouses,
           .minimum = 1,
           .maximum = kMostWarehouses,
           .flag = "warehouses",
           .placeholder = "N|auto"},
          {.name = "remote_percent",
           .help = "order lines and payments, in percent, of another warehouse; auto: as in the "
                   "standard, and all order lines of tpcc-no",
           .target = &options.remote_percent,
           .minimum = 0,
           .maximum = 100,
           .flag = "remote-percent",
           .placeholder = "P|auto"},
          {.name = "distributed_percent",
           .help = "new orders, in percent, that take one stock from a warehouse of another server "
                   "and the rest from their own; auto: as remote_percent says",
           .target = &options.distributed_percent,
           .minimum = 0,
           .maximum = 100},
          {.name = "audit_percent",
           .help = "transactions, in percent, that compare a warehouse's payments with those of "
                   "its districts while the run changes them; others are the mix",
           .target = &options.audit_percent,
           .minimum = 0,
           .maximum = 100},
          {.name = "items",
           .help = "items, and so stocks of every warehouse",
           .target = &options.items,
           .minimum = 100,
           .maximum = 1e7},
          {.name = "item_distribution",
           .help = "how popular the items of new orders are; nurand: as in the standard",
           .target = choice_of(options.item_distribution),
           .choices = {"nurand", "uniform", "zipfian"}},
          {.name = "item_zipf_coefficient",
           .help = "exponent of zipfian: the item of rank k is ordered in proportion to k to the "
                   "power of minus it; 0 is uniform",
           .target = &options.item_zipf_coefficient,
           .minimum = 0,
           .maximum = 100}};
}

std::vector<Parameter> tables(TpccOptions& options) {
  return {
      {.name = "whole_records",
       .help = "make records as long as in the prototype of NAM-DB's authors, with the texts of "
               "stocks, not only the fields that change",
       .target = &options.whole_records},
      {.name = "next_order",
       .help = "how new orders get their number: by locking their district, or by drawing it "
               "outside of their transactions, without conflicts but with gaps (nam and nam-naive)",
       .target = choice_of(options.next_order),
       .choices = {"locked", "fetch-add"}},
      {.name = "order_lines",
       .help = "when new orders write their lines: together while stocks of other nodes are "
               "fetched, or one by one, each when its stock has come",
       .target = choice_of(options.order_lines),
       .choices = {"together", "one-by-one"}},
      {.name = "customers_per_district",
       .help = "customers, and initial orders, of each of a warehouse's ten districts",
       .target = &options.customers_per_district,
       .minimum = 10,
       .maximum = UINT16_MAX},
      {.name = "new_orders_per_warehouse",
       .help = "room for the orders, and as many payments, that a run adds to a warehouse",
       .target = &options.new_orders_per_warehouse,
       .minimum = 1,
       .maximum = 1e8}};
}

std::vector<Parameter> parameters(TpccOptions& options) {
  std::vector<Parameter> all = inputs(options);
  for (Parameter& one : tables(options)) all.push_back(std::move(one));
  return all;
}

void check_distribution(const ClusterSize& size, const TpccOptions& options) {
  if (!options.distributed_percent) return;
  const std::string said =
      "workload.distributed_percent " + std::to_string(*options.distributed_percent);
  if (options.remote_percent) {
    throw ConfigurationError(said + "; allowed is auto with --remote-percent " +
                             std::to_string(*options.remote_percent) +
                             ", which says the same of each order line");
  }
  if (*options.distributed_percent > 0 && size.partitions < 2) {
    throw ConfigurationError(said + "; allowed are 0 and auto where one server has all warehouses");
  }
}

void check(const ClusterSize& size, const TpccOptions& options) {
  check_distribution(size, options);
  if (options.warehouses && *options.warehouses % size.partitions != 0) {
    throw ConfigurationError("--warehouses " + std::to_string(*options.warehouses) +
                             ": is no multiple of --nodes " + std::to_string(size.partitions) +
                             ", and every node has as many");
  }
  const std::uint64_t workers = std::uint64_t{size.partitions} * size.workers;
  if (!options.warehouses && workers > kMostWarehouses) {
    throw ConfigurationError("--warehouses auto: one for each of --nodes " +
                             std::to_string(size.partitions) + " x --threads " +
                             std::to_string(size.workers) + " are " + std::to_string(workers) +
                             "; at most " + std::to_string(kMostWarehouses) + " are possible");
  }
}

template <Tpcc::Mix mix>
std::unique_ptr<Workload> make(const ClusterSize& size, const TpccOptions& options) {
  return std::make_unique<Tpcc>(size.partitions, size.workers, mix, options);
}

template <Tpcc::Mix mix>
std::unique_ptr<WorkloadFactory> factory(const char* help) {
  const WorkloadInfo info = {.help = help,
                             .sizes_follow_from =
                                 "--warehouses, --nodes and the workload's items, "
                                 "customers_per_district and new_orders_per_warehouse",
                             .small_tables = {{"warehouses", "3"},
                                              {"items", "200"},
                                              {"customers_per_district", "30"},
                                              {"new_orders_per_warehouse", "5000"}}};
  return std::make_unique<OptionsFactory<TpccOptions>>(info, parameters, make<mix>, check);
}

}  // namespace

std::unique_ptr<WorkloadFactory> tpcc_factory() {
  return factory<Tpcc::Mix::kFull>(
      "a wholesaler's new orders, payments, order status, deliveries and stock levels (TPC-C)");
}

std::unique_ptr<WorkloadFactory> tpcc_new_order_factory() {
  return factory<Tpcc::Mix::kNewOrder>(
      "new orders of TPC-C only, every line supplied by another warehouse (the DrTM+H paper's "
      "TPC-C/no)");
}

}  // namespace verbena::workloads
