// What users may set of TPC-C.
#include "workloads/tpcc/factory.h"

#include <string>

#include "rdma/base/errors.h"
#include "workloads/tpcc/tpcc.h"

namespace verbena::workloads {
namespace {

// Warehouses are numbered by 16 bits.
constexpr std::uint32_t kMostWarehouses = UINT16_MAX;

class Factory : public WorkloadFactory {
 public:
  explicit Factory(Tpcc::Mix mix) : mix_(mix) {}

  const WorkloadInfo& info() const override {
    static const WorkloadInfo full = with_help(
        "a wholesaler's new orders, payments, order status, deliveries and stock levels (TPC-C)");
    static const WorkloadInfo new_orders = with_help(
        "new orders of TPC-C only, every line supplied by another warehouse (the DrTM+H paper's "
        "TPC-C/no)");
    return mix_ == Tpcc::Mix::kFull ? full : new_orders;
  }

  std::vector<Parameter> parameters() override {
    return {{.name = "warehouses",
             .help = "in the whole cluster, a multiple of --nodes; auto: one per worker",
             .target = &options_.warehouses,
             .minimum = 1,
             .maximum = kMostWarehouses,
             .flag = "warehouses",
             .placeholder = "N|auto"},
            {.name = "remote_percent",
             .help = "order lines, and payments, of another warehouse, in percent; auto: as in the "
                     "standard, and all order lines of tpcc-no",
             .target = &options_.remote_percent,
             .minimum = 0,
             .maximum = 100,
             .flag = "remote-percent",
             .placeholder = "P|auto"},
            {.name = "items",
             .help = "items, and so stocks of every warehouse",
             .target = &options_.items,
             .minimum = 100,
             .maximum = 1e7},
            {.name = "customers_per_district",
             .help = "customers, and so initial orders, of each of a warehouse's ten districts",
             .target = &options_.customers_per_district,
             .minimum = 10,
             .maximum = UINT16_MAX},
            {.name = "new_orders_per_warehouse",
             .help = "room for the orders, and as many payments, that a run adds to a warehouse",
             .target = &options_.new_orders_per_warehouse,
             .minimum = 1,
             .maximum = 1e8}};
  }

  void check(const ClusterShape& shape) const override {
    if (options_.warehouses && *options_.warehouses % shape.nodes != 0) {
      throw ConfigurationError("--warehouses " + std::to_string(*options_.warehouses) +
                               ": is no multiple of --nodes " + std::to_string(shape.nodes) +
                               ", and every node has as many");
    }
    const std::uint64_t workers = std::uint64_t{shape.nodes} * shape.workers;
    if (!options_.warehouses && workers > kMostWarehouses) {
      throw ConfigurationError("--warehouses auto: one for each of --nodes " +
                               std::to_string(shape.nodes) + " x --threads " +
                               std::to_string(shape.workers) + " are " + std::to_string(workers) +
                               "; at most " + std::to_string(kMostWarehouses) + " are possible");
    }
  }

  std::unique_ptr<Workload> make(const ClusterShape& shape) const override {
    return std::make_unique<Tpcc>(shape.nodes, shape.workers, mix_, options_);
  }

 private:
  static WorkloadInfo with_help(std::string help) {
    return {.help = std::move(help),
            .sizes_follow_from =
                "--warehouses, --nodes and the workload's items, "
                "customers_per_district and new_orders_per_warehouse",
            .small_tables = {{"warehouses", "3"},
                             {"items", "200"},
                             {"customers_per_district", "30"},
                             {"new_orders_per_warehouse", "5000"}}};
  }

  Tpcc::Mix mix_;
  TpccOptions options_;
};

}  // namespace

std::unique_ptr<WorkloadFactory> tpcc_factory() {
  return std::make_unique<Factory>(Tpcc::Mix::kFull);
}

std::unique_ptr<WorkloadFactory> tpcc_new_order_factory() {
  return std::make_unique<Factory>(Tpcc::Mix::kNewOrder);
}

}  // namespace verbena::workloads
