// Drawing inputs of TPC-C's transactions.
#include "workloads/tpcc/input.h"

#include <algorithm>

namespace verbena::workloads::tpcc {
namespace {

// The constants C of clause 2.1.6; that of the last names may differ from the loader's by 65 to
// 119, but for 96 and 112.
constexpr std::uint64_t kItemConstant = 7911;
constexpr std::uint64_t kCustomerConstant = 259;
constexpr std::uint64_t kLastNameConstant = 223;

// Draws of an item that an order does not have yet. With Zipf's law of a coefficient of 2 the
// fifteenth takes 24 on average; only of coefficients far above that so many may lead to none.
constexpr int kMostDraws = 1000;

}  // namespace

InputGenerator::InputGenerator(const Database& database, Mix mix, txn::PartitionId node,
                               WorkerId worker, std::uint32_t workers, Random random)
    : database_(database),
      mix_(mix),
      random_(random),
      partition_(node),
      item_{.mask = 8191, .constant = kItemConstant, .bound = database.items()},
      customer_{.mask = 1023, .constant = kCustomerConstant, .bound = database.customers()},
      last_name_{.mask = 255, .constant = kLastNameConstant, .bound = database.last_names()} {
  if (mix.item_zipf_coefficient) {
    zipfian_item_.emplace(database.items(), *mix.item_zipf_coefficient);
  }
  const std::uint32_t per_node = database.warehouses_per_node();
  const std::uint32_t first = worker % per_node;
  first_warehouse_ = node * per_node + first;
  warehouse_step_ = workers;
  own_warehouses_ = per_node <= workers ? 1 : (per_node - first + workers - 1) / workers;
}

Kind InputGenerator::kind() {
  if (mix_.audit_percent > 0 && percent(mix_.audit_percent)) return Kind::kAudit;
  if (mix_.new_order_only) return Kind::kNewOrder;
  const std::uint64_t percent = random_.below(100);
  if (percent < 45) return Kind::kNewOrder;
  if (percent < 88) return Kind::kPayment;
  if (percent < 92) return Kind::kOrderStatus;
  if (percent < 96) return Kind::kDelivery;
  return Kind::kStockLevel;
}

void InputGenerator::new_order(NewOrderInput& input) {
  input.home = home_district();
  input.customer = static_cast<std::uint32_t>(customer_.draw(random_));
  input.lines = static_cast<std::uint32_t>(random_.between(kLeastLines, kMostLines));
  input.all_local = true;
  for (std::uint32_t i = 0; i < input.lines; ++i) {
    NewOrderLine& line = input.line[i];
    line.item = other_item(std::span(input.line).first(i));
    line.supply_warehouse = static_cast<std::uint16_t>(input.home.warehouse);
    if (!mix_.distributed_percent && percent(mix_.remote_lines_percent) &&
        database_.warehouses() > 1) {
      line.supply_warehouse = static_cast<std::uint16_t>(other_warehouse(input.home.warehouse));
      input.all_local = false;
    }
    line.quantity = static_cast<std::uint8_t>(random_.between(1, 10));
  }
  if (mix_.distributed_percent && percent(*mix_.distributed_percent)) supply_from_elsewhere(input);
  if (percent(mix_.rolled_back_percent)) input.line[input.lines - 1].item = database_.items();
}

std::uint32_t InputGenerator::item() {
  const std::uint64_t drawn =
      zipfian_item_ ? zipfian_item_->draw(random_) - 1 : item_.draw(random_);
  return static_cast<std::uint32_t>(drawn);
}

// The items of an order differ. Where the law has hardly any others, the most popular one of these:
// there are more items than lines.
std::uint32_t InputGenerator::other_item(std::span<const NewOrderLine> than) {
  const auto is_there = [&](std::uint32_t item) {
    return std::ranges::any_of(than, [item](const NewOrderLine& l) { return l.item == item; });
  };
  for (int draws = 0; draws < kMostDraws; ++draws) {
    const std::uint32_t drawn = item();
    if (!is_there(drawn)) return drawn;
  }
  std::uint32_t other = 0;
  while (is_there(other)) ++other;
  return other;
}

PaymentInput InputGenerator::payment() {
  PaymentInput input{.home = home_district(), .customer = {}, .amount = 0};
  DistrictName district = input.home;
  if (percent(mix_.remote_payments_percent) && database_.warehouses() > 1) {
    district = {.warehouse = other_warehouse(input.home.warehouse),
                .district = static_cast<std::uint32_t>(random_.below(kDistricts))};
  }
  input.customer = customer_of(district);
  input.amount = static_cast<std::uint32_t>(random_.between(1'00, 5'000'00));
  return input;
}

CustomerChoice InputGenerator::order_status() { return customer_of(home_district()); }

DeliveryInput InputGenerator::delivery() {
  return {.warehouse = home_warehouse(),
          .carrier = static_cast<std::uint8_t>(random_.between(1, 10))};
}

StockLevelInput InputGenerator::stock_level() {
  return {.home = home_district(), .threshold = static_cast<std::int32_t>(random_.between(10, 20))};
}

std::uint32_t InputGenerator::home_warehouse() {
  if (own_warehouses_ == 1) return first_warehouse_;
  return first_warehouse_ +
         static_cast<std::uint32_t>(random_.below(own_warehouses_)) * warehouse_step_;
}

DistrictName InputGenerator::home_district() {
  const std::uint32_t warehouse = home_warehouse();
  return {.warehouse = warehouse,
          .district = static_cast<std::uint32_t>(random_.below(kDistricts))};
}

std::uint32_t InputGenerator::other_warehouse(std::uint32_t than) {
  const auto other = static_cast<std::uint32_t>(random_.below(database_.warehouses() - 1));
  return other < than ? other : other + 1;
}

void InputGenerator::supply_from_elsewhere(NewOrderInput& input) {
  NewOrderLine& line = input.line[random_.below(input.lines)];
  line.supply_warehouse = static_cast<std::uint16_t>(warehouse_elsewhere());
  input.all_local = false;
}

// A warehouse of any other partition, each as likely.
std::uint32_t InputGenerator::warehouse_elsewhere() {
  const std::uint32_t own = database_.warehouses_per_node();
  const auto other = static_cast<std::uint32_t>(random_.below(database_.warehouses() - own));
  return other < partition_ * own ? other : other + own;
}

CustomerChoice InputGenerator::customer_of(DistrictName district) {
  const bool by_name = percent(60);
  NuRand& numbers = by_name ? last_name_ : customer_;
  return {.district = district,
          .by_name = by_name,
          .number = static_cast<std::uint32_t>(numbers.draw(random_))};
}

}  // namespace verbena::workloads::tpcc
