// Records of TPC-C's tables as stored (clause 1.3).
#pragma once

#include <cstdint>

#include "txn/schema/table.h"

namespace verbena::workloads::tpcc {

/// The nine tables; two indexes that transactions read and maintain as tables; and D_NEXT_O_ID
/// where it is not a column of the district.
enum Table : txn::TableId {
  kWarehouse,
  kDistrict,
  kCustomer,
  kCustomerName,  ///< index: customers of a district by last name
  kHistory,
  kNewOrder,
  kOrder,
  kOrderByCustomer,  ///< index: orders of a customer by number
  kOrderLine,
  kItem,
  kStock,
  kOrderNumber,  ///< only with NextOrder::kFetchAdd
  kTables
};

inline constexpr std::uint32_t kDistricts = 10;  ///< per warehouse
inline constexpr std::uint32_t kMostLines = 15;  ///< per order
inline constexpr std::uint32_t kLeastLines = 5;
inline constexpr std::uint32_t kInitialLines = 10;  ///< per initial order

// Warehouses are numbered from 0 in the cluster, districts in the warehouse, customers and orders
// in the district, and lines in the order; items are numbered from 0 too. With
// TpccOptions::whole_records a record may be longer than its structure, see
// Database::payload_bytes. Money is integer cents; taxes and discounts are ten-thousandths. Texts
// end at their length or at a zero.

struct Address {
  char street_1[20];
  char street_2[20];
  char city[20];
  char state[2];
  char zip[9];
};

struct Warehouse {
  std::int64_t ytd;
  std::uint32_t tax;
  char name[10];
  Address address;
};

struct District {
  std::int64_t ytd;
  std::uint32_t next_order;
  std::uint32_t tax;
  char name[10];
  Address address;
};

/// Number of a district's next order, as a record of its own with the district's key. The column
/// next_order of the district then keeps its loaded value.
struct OrderNumber {
  std::uint64_t next;
};

struct Customer {
  std::int64_t balance;
  std::int64_t ytd_payment;
  std::int64_t credit_limit;
  std::uint32_t payments;
  std::uint32_t deliveries;
  std::uint32_t discount;
  std::uint32_t since;
  char first[16];
  char middle[2];
  char last[16];
  Address address;
  char phone[16];
  char credit[2];  ///< "GC" or "BC"
  char data[500];
};

/// A row of kCustomerName: the customers with one last name, ordered by first names. The payload
/// has room for the most frequent name of a district.
struct CustomerName {
  std::uint16_t count;
  std::uint16_t customers[1];  ///< `count` of them
};

struct History {
  std::uint32_t amount;
  std::uint32_t date;
  std::uint16_t customer;
  std::uint16_t customer_warehouse;
  std::uint16_t warehouse;
  std::uint8_t customer_district;
  std::uint8_t district;
  char data[24];
};

struct NewOrder {
  std::uint64_t order;
};

struct Order {
  std::uint64_t entry_date;
  std::uint32_t customer;
  std::uint8_t carrier;  ///< 0: not delivered
  std::uint8_t lines;
  bool all_local;
  std::uint8_t reserved;
};

struct OrderByCustomer {
  std::uint64_t order;
};

struct OrderLine {
  std::uint32_t delivery_date;  ///< 0: not delivered
  std::uint32_t amount;
  std::uint32_t item;
  std::uint16_t supply_warehouse;
  std::uint8_t quantity;
  std::uint8_t reserved;
  char district_info[24];
};

struct Item {
  std::uint32_t price;
  std::uint32_t image;
  char name[24];
  char data[50];
};

/// The columns of STOCK that change (clause 1.4 allows splitting a table's columns). S_DIST_xx is a
/// function of the key, see Database::district_info.
struct Stock {
  std::int32_t quantity;
  std::uint32_t orders;
  std::uint32_t remote_orders;
  std::uint32_t reserved;
  std::uint64_t ytd;
};

/// The other columns of STOCK, which follow in whole records; only the first 32 characters of
/// S_DATA.
struct StockTexts {
  char district_info[kDistricts][24];  ///< S_DIST_xx
  char data[32];
};

// A record of at most 40 B shares one cache line with its header.
static_assert(sizeof(Warehouse) == 96 && sizeof(District) == 104 && sizeof(Customer) == 664);
static_assert(sizeof(History) == 40 && sizeof(Order) == 16 && sizeof(OrderLine) == 40);
static_assert(sizeof(Item) == 84 && sizeof(Stock) == 24 && sizeof(StockTexts) == 272);

}  // namespace verbena::workloads::tpcc
