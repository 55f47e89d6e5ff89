// TPC-C's tables and the relations of their initial records.
#include "workloads/tpcc/database.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>

#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"
#include "workloads/key_text.h"

namespace verbena::workloads::tpcc {
namespace {

constexpr std::uint32_t kLastNames = 1000;
constexpr NuRand kLoadedLastNames = {.mask = 255, .constant = 157, .bound = kLastNames};
constexpr std::uint64_t kNamesSeed = 11;

constexpr const char* kCapacitySetting = "workload.new_orders_per_warehouse";

void refuse(const std::string& what) { throw ConfigurationError("tpcc: " + what); }

void require(const char* option, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return;
  refuse(std::string(option) + " " + std::to_string(value) + "; allowed are " +
         std::to_string(least) + " to " + std::to_string(most));
}

// A number that all of [0, n) are multiples of, modulo n, in an order that looks irregular.
std::uint32_t step_through(std::uint32_t n) {
  auto step = static_cast<std::uint32_t>(std::uint64_t{n} * 618 / 1000) + 1;
  while (std::gcd(step, n) != 1) ++step;
  return step;
}

std::uint32_t inverse_modulo(std::uint32_t step, std::uint32_t n) {
  std::uint32_t inverse = 1;
  while (std::uint64_t{step} * inverse % n != 1 % n) ++inverse;
  return inverse;
}

// Districts differ in who ordered what, and in who is called what.
std::uint32_t rotation(txn::Key district, std::uint32_t of) {
  return static_cast<std::uint32_t>(mix64(district) % of);
}

}  // namespace

Database::Database(std::uint32_t nodes, std::uint32_t workers, const TpccOptions& options)
    : nodes_(nodes),
      items_(options.items),
      whole_records_(options.whole_records),
      draws_orders_(options.next_order == NextOrder::kFetchAdd),
      places_lines_one_by_one_(options.order_lines == OrderLines::kOneByOne),
      customers_(options.customers_per_district),
      new_orders_(options.new_orders_per_warehouse),
      last_names_(std::min(customers_, kLastNames)) {
  const std::uint64_t warehouses = options.warehouses.value_or(std::uint64_t{nodes} * workers);
  require("warehouses", warehouses, 1, UINT16_MAX);
  if (warehouses % nodes != 0) {
    refuse("warehouses " + std::to_string(warehouses) + " on " + counted(nodes, "node") +
           "; allowed are multiples of the number of nodes");
  }
  require("items", items_, 100, 10'000'000);
  require("customers_per_district", customers_, 10, UINT16_MAX);
  require("new_orders_per_warehouse", new_orders_, 1, 100'000'000);
  warehouses_per_node_ = static_cast<std::uint32_t>(warehouses / nodes);
  keys_ = Keys({.warehouses_per_node = warehouses_per_node_,
                .items = items_,
                .customers = customers_,
                .last_names = last_names_,
                .first_undelivered = customers_ - customers_ * 3 / 10});
  order_step_ = step_through(customers_);
  order_unstep_ = inverse_modulo(order_step_, customers_);
  name_customers();
}

// The first customers of a district have all the names in turn, the others as NURand says.
void Database::name_customers() {
  Random random(kNamesSeed);
  names_.resize(customers_ - last_names_);
  std::vector<std::uint16_t> count(last_names_);
  for (std::uint16_t& name : names_) {
    name = static_cast<std::uint16_t>(kLoadedLastNames.draw(random));
    ++count[name];
  }
  first_place_.resize(last_names_ + 1);
  for (std::uint32_t name = 0; name < last_names_; ++name) {
    first_place_[name + 1] = static_cast<std::uint16_t>(first_place_[name] + count[name]);
    most_namesakes_ = std::max(most_namesakes_, count[name] + 1U);
  }
  places_by_name_.resize(names_.size());
  std::vector<std::uint16_t> next(first_place_);
  for (std::size_t place = 0; place < names_.size(); ++place) {
    places_by_name_[next[names_[place]]++] = static_cast<std::uint16_t>(place);
  }
}

std::uint32_t Database::customer_of_order(txn::Key district, std::uint32_t order) const {
  const std::uint64_t place = std::uint64_t{order} * order_step_ + rotation(district, customers_);
  return static_cast<std::uint32_t>(place % customers_);
}

std::uint32_t Database::order_of_customer(txn::Key district, std::uint32_t customer) const {
  const std::uint64_t place = customer + customers_ - rotation(district, customers_);
  return static_cast<std::uint32_t>(place % customers_ * order_unstep_ % customers_);
}

std::uint64_t Database::order_of_customer_key(txn::Key key) const {
  const std::uint64_t rank = key & Keys::kOrderMask;
  if (rank > 0) return initial_orders() + rank - 1;
  const std::uint64_t customer = key >> Keys::kOrderBits;
  return order_of_customer(customer >> Keys::kCustomerBits,
                           static_cast<std::uint32_t>(customer & UINT16_MAX));
}

std::uint32_t Database::last_name_of(txn::Key district, std::uint32_t customer) const {
  if (customer < last_names_) return customer;
  const auto others = static_cast<std::uint32_t>(names_.size());
  return names_[(customer - last_names_ + rotation(district, others)) % others];
}

std::vector<std::uint16_t> Database::customers_named(txn::PartitionId partition, txn::Key district,
                                                     std::uint32_t last_name) const {
  using Named = std::pair<std::array<char, 16>, std::uint16_t>;
  std::vector<Named> named;
  const auto add = [&](std::uint32_t customer) {
    Named& entry = named.emplace_back();
    entry.second = static_cast<std::uint16_t>(customer);
    write_first_name(partition, keys_.customer_key(district, customer), entry.first);
  };
  add(last_name);
  const auto others = static_cast<std::uint32_t>(names_.size());
  for (std::uint32_t i = first_place_[last_name]; i < first_place_[last_name + 1]; ++i) {
    add(last_names_ + (places_by_name_[i] + others - rotation(district, others)) % others);
  }
  std::sort(named.begin(), named.end());
  std::vector<std::uint16_t> customers;
  customers.reserve(named.size());
  for (const Named& entry : named) customers.push_back(entry.second);
  return customers;
}

std::uint32_t middle_namesake(std::span<const std::byte> customer_name) {
  std::uint16_t count;
  std::memcpy(&count, customer_name.data(), sizeof count);
  const std::size_t place = (count + 1U) / 2;  // from 1, and the count comes first
  std::uint16_t customer;
  std::memcpy(&customer, customer_name.data() + place * sizeof customer, sizeof customer);
  return customer;
}

std::uint32_t Database::payload_bytes(Table table) const {
  const auto either = [this](std::size_t compact, std::uint32_t whole) {
    return whole_records_ ? whole : static_cast<std::uint32_t>(compact);
  };
  switch (table) {
    case kWarehouse:
      return sizeof(Warehouse);
    case kDistrict:
      return either(sizeof(District), 112);
    case kCustomer:
      return sizeof(Customer);
    case kCustomerName:
      return (most_namesakes_ + 1) * 2;
    case kHistory:
      return either(sizeof(History), 56);
    case kNewOrder:
      return sizeof(NewOrder);
    case kOrder:
      return either(sizeof(Order), 32);
    case kOrderByCustomer:
      return sizeof(OrderByCustomer);
    case kOrderLine:
      return either(sizeof(OrderLine), 72);
    case kItem:
      return either(sizeof(Item), 88);
    case kStock:
      return either(sizeof(Stock), sizeof(Stock) + sizeof(StockTexts));
    case kOrderNumber:
      return sizeof(OrderNumber);
    case kTables:
      break;
  }
  return 0;
}

txn::Schema Database::schema() const {
  txn::Schema schema;
  const std::uint8_t tables = draws_orders_ ? kTables : kOrderNumber;
  for (std::uint8_t table = 0; table < tables; ++table) {
    schema.push_back(definition(static_cast<Table>(table)));
    schema.back().payload_bytes = payload_bytes(static_cast<Table>(table));
    schema.back().load = [this, table](txn::PartitionId partition, txn::Key key,
                                       std::span<std::byte> payload) {
      load(static_cast<Table>(table), partition, key, payload);
    };
  }
  return schema;
}

txn::TableDefinition Database::definition(Table table) const {
  const std::uint64_t districts = districts_per_node();
  const std::uint64_t customers = districts * customers_;
  const std::uint64_t undelivered = initial_orders() - keys_.first_undelivered();
  const std::uint64_t new_orders = std::uint64_t{warehouses_per_node_} * new_orders_;
  switch (table) {
    case kWarehouse:
      return {.name = "warehouse", .initial_records = warehouses_per_node_};
    case kDistrict:
      return {.name = "district", .initial_records = districts};
    case kCustomer:
      return {.name = "customer", .initial_records = customers};
    case kCustomerName:
      return {.name = "customer_name", .initial_records = districts * last_names_};
    case kHistory:
      return {.name = "history",
              .initial_records = customers,
              .insert_capacity = new_orders,
              .capacity_setting = kCapacitySetting};
    case kNewOrder:
      return {.name = "new_order",
              .initial_records = districts * undelivered,
              .insert_capacity = new_orders,
              .capacity_setting = kCapacitySetting,
              .key_levels = {{districts, Keys::kOrderBits}, {undelivered, 0}},
              .ordered = true};
    case kOrder:
      return {.name = "order",
              .initial_records = customers,
              .insert_capacity = new_orders,
              .capacity_setting = kCapacitySetting,
              .key_levels = {{districts, Keys::kOrderBits}, {initial_orders(), 0}},
              .ordered = true};
    case kOrderByCustomer:
      // An order that was given up may leave an entry behind that only the same customer's order of
      // the same number would use.
      return {.name = "order_by_customer",
              .initial_records = customers,
              .insert_capacity = 4 * new_orders,
              .capacity_setting = kCapacitySetting,
              .key_levels = {{districts, Keys::kOrderBits + Keys::kCustomerBits},
                             {customers_, Keys::kOrderBits}},
              .ordered = true};
    case kOrderLine:
      return {.name = "order_line",
              .initial_records = customers * kInitialLines,
              .insert_capacity = new_orders * kMostLines,
              .capacity_setting = kCapacitySetting,
              .key_levels = {{districts, Keys::kOrderBits + Keys::kLineBits},
                             {initial_orders(), Keys::kLineBits},
                             {kInitialLines, 0}},
              .ordered = true};
    case kItem:
      return {.name = "item", .initial_records = items_};
    case kStock:
      return {.name = "stock", .initial_records = std::uint64_t{warehouses_per_node_} * items_};
    case kOrderNumber:
      return {.name = "order_number",
              .initial_records = districts,
              .drawn_by = "workload.next_order=fetch-add"};
    case kTables:
      break;
  }
  return {};
}

}  // namespace verbena::workloads::tpcc
