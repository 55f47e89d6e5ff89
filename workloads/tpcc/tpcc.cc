// TPC-C as a workload.
#include "workloads/tpcc/tpcc.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "rdma/base/errors.h"
#include "workloads/audit_kind.h"
#include "workloads/tpcc/client.h"
#include "workloads/tpcc/conditions.h"
#include "workloads/tpcc/index_rows.h"
#include "workloads/unwritten_tables.h"

namespace verbena::workloads {
namespace {

using tpcc::Client;
using tpcc::ClientId;
using tpcc::Customer;
using tpcc::InputGenerator;
using tpcc::kMostLines;
using tpcc::kStockLevelBatch;
using tpcc::OrderLine;
using tpcc::OrderNumber;
using tpcc::Stock;
using tpcc::Warehouse;

const std::array<std::string, static_cast<std::size_t>(tpcc::Kind::kCount)> kKindNames = {
    "new_order", "payment", "order_status", "delivery", "stock_level", kAuditKind};

std::optional<double> zipf_coefficient(const TpccOptions& options) {
  switch (options.item_distribution) {
    case ItemDistribution::kUniform:
      return 0;
    case ItemDistribution::kZipfian:
      return options.item_zipf_coefficient;
    case ItemDistribution::kNuRand:
      break;
  }
  return std::nullopt;
}

// Mix of inputs as the standard has it, where the options leave it to that.
InputGenerator::Mix input_mix(Tpcc::Mix mix, const TpccOptions& options) {
  const std::optional<std::uint32_t>& remote_percent = options.remote_percent;
  if (remote_percent.value_or(0) > 100) {
    throw ConfigurationError("tpcc: remote_percent " + std::to_string(*remote_percent) +
                             "; allowed are 0 to 100");
  }
  InputGenerator::Mix inputs;
  inputs.distributed_percent = options.distributed_percent;
  inputs.audit_percent = options.audit_percent;
  if (mix == Tpcc::Mix::kNewOrder && options.audit_percent > 0) {
    throw ConfigurationError("workload.audit_percent " + std::to_string(options.audit_percent) +
                             "; allowed is 0 with tpcc-no, which has no payments");
  }
  if (mix == Tpcc::Mix::kNewOrder) {
    inputs.new_order_only = true;
    inputs.remote_lines_percent = 100;
    inputs.rolled_back_percent = 0;
  }
  if (remote_percent) {
    inputs.remote_lines_percent = inputs.remote_payments_percent = *remote_percent;
  }
  inputs.item_zipf_coefficient = zipf_coefficient(options);
  return inputs;
}

template <typename Record>
Record as(std::span<const std::byte> payload) {
  Record record;
  std::memcpy(&record, payload.data(), sizeof record);
  return record;
}

}  // namespace

Tpcc::Tpcc(std::uint32_t nodes, std::uint32_t workers, Mix mix, const TpccOptions& options)
    : workers_(workers),
      mix_(mix),
      inputs_(input_mix(mix, options)),
      database_(nodes, workers, options),
      schema_(database_.schema()) {
  // Payments have customers of other warehouses; new orders only their stocks.
  for (std::uint32_t table = 0; table < schema_.size(); ++table) {
    const bool of_payments = table == tpcc::kCustomer || table == tpcc::kCustomerName;
    schema_[table].remote = table == tpcc::kStock || (mix_ == Mix::kFull && of_payments);
  }
  schema_[tpcc::kNewOrder].erased = mix_ == Mix::kFull;
}

std::string Tpcc::name() const { return mix_ == Mix::kFull ? "tpcc" : "tpcc-no"; }

std::span<const std::string> Tpcc::kinds() const {
  const std::size_t of_the_mix = mix_ == Mix::kFull ? kKindNames.size() - 1 : 1;
  return std::span(kKindNames).first(of_the_mix + (inputs_.audit_percent > 0 ? 1 : 0));
}

// New orders touch most records, deliveries write most; stock levels scan most.
txn::TransactionLimits Tpcc::limits() const {
  constexpr std::uint32_t kLines = kMostLines;
  const auto bytes = [this](tpcc::Table table) {
    return (schema_[table].payload_bytes + 7) / 8 * 8;
  };
  const std::uint32_t order_bytes =
      bytes(tpcc::kOrder) + bytes(tpcc::kNewOrder) + bytes(tpcc::kOrderByCustomer);
  const std::uint32_t new_order_writes = bytes(tpcc::kDistrict) + order_bytes +
                                         kLines * (bytes(tpcc::kStock) + bytes(tpcc::kOrderLine));
  const std::uint32_t delivery_writes = bytes(tpcc::kNewOrder) + bytes(tpcc::kOrder) +
                                        bytes(tpcc::kCustomer) + kLines * bytes(tpcc::kOrderLine);
  const std::uint32_t new_order_bytes = new_order_writes + bytes(tpcc::kWarehouse) +
                                        bytes(tpcc::kCustomer) + kLines * bytes(tpcc::kItem);
  const std::uint32_t stock_level_bytes =
      bytes(tpcc::kDistrict) +
      kStockLevelBatch * std::max(bytes(tpcc::kOrderLine), bytes(tpcc::kStock));
  const bool full = mix_ == Mix::kFull;
  return {.records = std::max(6 + 3 * kLines, 1 + kStockLevelBatch),
          .written = 4 + 2 * kLines,
          .record_bytes = full ? std::max(new_order_bytes, stock_level_bytes) : new_order_bytes,
          .written_bytes = full ? std::max(new_order_writes, delivery_writes) : new_order_writes,
          .scanned = full ? kStockLevelBatch : 0};
}

std::unique_ptr<WorkloadClient> Tpcc::make_client(const ClientPlace& place, Random random) const {
  return std::make_unique<Client>(
      database_, InputGenerator(database_, inputs_, place.home, place.worker, workers_, random),
      ClientId{.node = place.home, .worker = place.worker, .fiber = place.fiber}, &faults_);
}

std::int64_t Tpcc::amount(txn::TableId table, std::span<const std::byte> payload) const {
  switch (table) {
    case tpcc::kWarehouse:
      return as<Warehouse>(payload).ytd;
    case tpcc::kStock:
      return static_cast<std::int64_t>(as<Stock>(payload).ytd);
    case tpcc::kCustomer: {
      const auto customer = as<Customer>(payload);
      return customer.balance + customer.ytd_payment;
    }
    case tpcc::kOrderLine:
      return as<OrderLine>(payload).amount;
    case tpcc::kOrderNumber:
      return static_cast<std::int64_t>(as<OrderNumber>(payload).next);
    default:
      return 0;
  }
}

std::vector<std::string> Tpcc::inconsistencies(txn::PartitionId partition,
                                               txn::StateAtRest& state) const {
  constexpr std::array<txn::TableId, 2> kUnwritten = {tpcc::kCustomerName, tpcc::kItem};
  std::vector<std::string> found = faults_.take();
  for (const std::vector<std::string>& wrong :
       {tpcc::breached_conditions(database_, partition, state),
        tpcc::wrong_index_rows(database_, partition, state),
        changed_rows(schema_, kUnwritten, partition, state)}) {
    found.insert(found.end(), wrong.begin(), wrong.end());
  }
  return found;
}

}  // namespace verbena::workloads
