// Initial content of TPC-C's records (clause 4.3.3).
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "workloads/key_text.h"
#include "workloads/tpcc/database.h"

namespace verbena::workloads::tpcc {
namespace {

constexpr std::uint32_t kMostTax = 2'000;       // 20 %
constexpr std::uint32_t kMostDiscount = 5'000;  // 50 %
constexpr std::int64_t kCreditLimit = 50'000'00;
constexpr std::int64_t kFirstPayment = 10'00;
constexpr std::uint32_t kInitialDate = 1;

// Streams that do not belong to a table's records.
constexpr std::uint8_t kFirstNames = kStock + 1;
constexpr std::uint8_t kDistrictInfos = kStock + 2;
constexpr std::uint8_t kStockTexts = kStock + 3;

void write_address(KeyText& text, Address& address) {
  text.letters(address.street_1, 10);
  text.letters(address.street_2, 10);
  text.letters(address.city, 10);
  text.letters(address.state);
  text.digits(std::span(address.zip).first<4>());
  std::memset(address.zip + 4, '1', 5);
}

// Sum of the initial histories; 300 000 dollars with the standard's 3000 customers.
std::int64_t district_ytd(std::uint32_t customers) { return customers * kFirstPayment; }

void load_warehouse(KeyText text, std::uint32_t customers, Warehouse& warehouse) {
  warehouse.ytd = kDistricts * district_ytd(customers);
  warehouse.tax = text.number(0, kMostTax);
  text.letters(warehouse.name, 6);
  write_address(text, warehouse.address);
}

void load_district(KeyText text, std::uint32_t customers, District& district) {
  district.ytd = district_ytd(customers);
  district.next_order = customers;
  district.tax = text.number(0, kMostTax);
  text.letters(district.name, 6);
  write_address(text, district.address);
}

void load_item(KeyText text, Item& item) {
  item.price = text.number(1'00, 100'00);
  item.image = text.number(0, 9'999);
  text.letters(item.name, 14);
  text.letters(item.data, 26);
  if (text.number(0, 9) == 0) {
    constexpr std::string_view kOriginal = "ORIGINAL";
    std::memcpy(item.data + text.number(0, 26 - kOriginal.size()), kOriginal.data(),
                kOriginal.size());
  }
}

void load_stock(KeyText text, Stock& stock) {
  stock.quantity = static_cast<std::int32_t>(text.number(10, 100));
}

template <typename Record>
Record& as(std::span<std::byte> payload) {
  return *reinterpret_cast<Record*>(payload.data());
}

}  // namespace

void write_last_name(std::uint32_t number, std::span<char, 16> text) {
  constexpr std::array<std::string_view, 10> kSyllables = {
      "BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"};
  std::fill(text.begin(), text.end(), '\0');
  char* end = text.data();
  for (const std::uint32_t digit : {number / 100, number / 10 % 10, number % 10}) {
    end = std::copy(kSyllables[digit].begin(), kSyllables[digit].end(), end);
  }
}

void write_first_name(txn::PartitionId partition, txn::Key customer, std::span<char, 16> text) {
  KeyText(kFirstNames, partition, customer).letters(text, 8);
}

void Database::district_info(std::uint32_t warehouse, std::uint32_t item, std::uint32_t district,
                             std::span<char, 24> text) {
  const std::uint64_t key = (std::uint64_t{warehouse} << 32 | item) * kDistricts + district;
  KeyText(kDistrictInfos, 0, key).letters(text);
}

void Database::load_customer(txn::PartitionId partition, txn::Key key, Customer& customer) const {
  KeyText text(kCustomer, partition, key);
  customer.balance = -kFirstPayment;
  customer.ytd_payment = kFirstPayment;
  customer.credit_limit = kCreditLimit;
  customer.payments = 1;
  customer.discount = text.number(0, kMostDiscount);
  customer.since = kInitialDate;
  write_first_name(partition, key, customer.first);
  std::memcpy(customer.middle, "OE", 2);
  write_last_name(last_name_of(key / customers_, static_cast<std::uint32_t>(key % customers_)),
                  customer.last);
  write_address(text, customer.address);
  text.digits(customer.phone);
  std::memcpy(customer.credit, text.number(0, 9) == 0 ? "BC" : "GC", 2);
  text.letters(customer.data, 300);
}

// Delivered lines cost nothing, as the standard has it.
void Database::load_order_line(txn::PartitionId partition, txn::Key key, OrderLine& line) const {
  KeyText text(kOrderLine, partition, key);
  const txn::Key district = key >> (Keys::kOrderBits + Keys::kLineBits);
  const bool delivered = (key >> Keys::kLineBits & Keys::kOrderMask) < keys_.first_undelivered();
  const auto warehouse =
      static_cast<std::uint32_t>(partition * warehouses_per_node_ + district / kDistricts);
  line.item = text.number(0, items_ - 1);
  line.supply_warehouse = static_cast<std::uint16_t>(warehouse);
  line.quantity = 5;
  line.delivery_date = delivered ? kInitialDate : 0;
  line.amount = delivered ? 0 : text.number(1, 9'999'99);
  district_info(warehouse, line.item, static_cast<std::uint32_t>(district % kDistricts),
                line.district_info);
}

void Database::load_stock_texts(txn::PartitionId partition, txn::Key key, StockTexts& texts) const {
  const auto warehouse =
      static_cast<std::uint32_t>(partition * warehouses_per_node_ + key / items_);
  const auto item = static_cast<std::uint32_t>(key % items_);
  for (std::uint32_t district = 0; district < kDistricts; ++district) {
    district_info(warehouse, item, district, texts.district_info[district]);
  }
  KeyText(kStockTexts, partition, key).letters(texts.data, 26);
}

void Database::load(Table table, txn::PartitionId partition, txn::Key key,
                    std::span<std::byte> payload) const {
  const KeyText text(table, partition, key);
  const txn::Key district_of_customer = key / customers_;
  const auto warehouse = static_cast<std::uint16_t>(partition * warehouses_per_node_ +
                                                    district_of_customer / kDistricts);
  switch (table) {
    case kWarehouse:
      return load_warehouse(text, customers_, as<Warehouse>(payload));
    case kDistrict:
      return load_district(text, customers_, as<District>(payload));
    case kCustomer:
      return load_customer(partition, key, as<Customer>(payload));
    case kCustomerName: {
      const std::vector<std::uint16_t> customers = customers_named(
          partition, key / last_names_, static_cast<std::uint32_t>(key % last_names_));
      const auto count = static_cast<std::uint16_t>(customers.size());
      std::memcpy(payload.data(), &count, sizeof count);
      std::memcpy(payload.data() + sizeof count, customers.data(), count * sizeof count);
      return;
    }
    case kHistory: {
      KeyText data = text;
      History& history = as<History>(payload);
      history = {.amount = kFirstPayment,
                 .date = kInitialDate,
                 .customer = static_cast<std::uint16_t>(key % customers_),
                 .customer_warehouse = warehouse,
                 .warehouse = warehouse,
                 .customer_district = static_cast<std::uint8_t>(district_of_customer % kDistricts),
                 .district = static_cast<std::uint8_t>(district_of_customer % kDistricts),
                 .data = {}};
      return data.letters(history.data, 12);
    }
    case kNewOrder:
      as<NewOrder>(payload).order = keys_.order_of_new_order_key(key);
      return;
    case kOrder: {
      KeyText carrier = text;
      const std::uint64_t order = key & Keys::kOrderMask;
      as<Order>(payload) = {
          .entry_date = kInitialDate,
          .customer = customer_of_order(key >> Keys::kOrderBits, static_cast<std::uint32_t>(order)),
          .carrier = static_cast<std::uint8_t>(
              order < keys_.first_undelivered() ? carrier.number(1, 10) : 0),
          .lines = kInitialLines,
          .all_local = true,
          .reserved = 0};
      return;
    }
    case kOrderByCustomer:
      as<OrderByCustomer>(payload).order = order_of_customer_key(key);
      return;
    case kOrderLine:
      return load_order_line(partition, key, as<OrderLine>(payload));
    case kItem:
      // The same on every node.
      return load_item(KeyText(kItem, 0, key), as<Item>(payload));
    case kStock:
      load_stock(text, as<Stock>(payload));
      if (!whole_records_) return;
      return load_stock_texts(partition, key, as<StockTexts>(payload.subspan(sizeof(Stock))));
    case kOrderNumber:
      as<OrderNumber>(payload).next = initial_orders();
      return;
    case kTables:
      return;
  }
}

}  // namespace verbena::workloads::tpcc
