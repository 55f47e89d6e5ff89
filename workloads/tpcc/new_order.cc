// TPC-C's new-order transaction (clause 2.4).
#include <algorithm>

#include "workloads/end_attempt.h"
#include "workloads/tpcc/client.h"

namespace verbena::workloads::tpcc {

// First the order's number is taken: orders of one district conflict, and that shows before others
// are bothered. Where it is drawn they do not, and the district is read with what comes next.
Attempt Client::new_order(Transaction& transaction) {
  transaction.begin();
  change_ = amount_ = 0;
  const DistrictName& home = new_order_.home;
  for (std::uint32_t i = 0; i < new_order_.lines; ++i) {
    lines_[i].remote = database_.keys().partition(new_order_.line[i].supply_warehouse) != id_.node;
  }
  const bool one_by_one = database_.places_lines_one_by_one();
  if (one_by_one) ask_before_all(transaction);
  const txn::Key district_key = database_.keys().district_key(home);
  const bool draws = database_.draws_orders();
  const Handle district =
      read_home(transaction, kDistrict, district_key, draws ? Intent::kRead : Intent::kUpdate);
  if (!draws) transaction.prefetch();
  if (doomed(transaction)) return try_again(transaction);
  const std::uint64_t order = draws ? draw_order(transaction, district_key)
                                    : transaction.update<District>(district).next_order++;
  if (!note_order(transaction, order)) return try_again(transaction);
  const Lines placed = one_by_one ? place_lines_one_by_one(transaction, order)
                                  : place_lines_together(transaction, order);
  if (placed == Lines::kDoomed) return try_again(transaction);
  if (placed == Lines::kUnknownItem) {
    return transaction.fetch() ? roll_back(transaction) : try_again(transaction);
  }
  const std::uint32_t tax =
      transaction.value<Warehouse>(warehouse_).tax + transaction.value<District>(district).tax;
  screen_ = {.district = home,
             .customer = new_order_.customer,
             .order = order,
             .lines = new_order_.lines,
             .total = total_amount(tax, transaction.value<Customer>(buyer_).discount)};
  return finish(transaction);
}

// Asks for what other nodes have, and writes the lines while it comes (DrTM+H paper, section 6.1:
// speculative execution).
Client::Lines Client::place_lines_together(Transaction& transaction, std::uint64_t order) {
  note_stocks(transaction, true);
  transaction.prefetch();
  note_home(transaction);
  for (std::uint32_t i = 0; i < new_order_.lines; ++i) note_item(transaction, i);
  note_stocks(transaction, false);
  transaction.prefetch();
  if (doomed(transaction)) return Lines::kDoomed;
  if (!transaction.found(lines_[new_order_.lines - 1].item)) return Lines::kUnknownItem;

  for (std::uint32_t i = 0; i < new_order_.lines; ++i) note_line(transaction, order, i);
  transaction.prefetch();
  if (doomed(transaction)) return Lines::kDoomed;
  create_order(transaction, order);
  for (std::uint32_t i = 0; i < new_order_.lines; ++i) {
    if (!create_line(transaction, i)) return Lines::kDoomed;
  }
  for (std::uint32_t i = 0; i < new_order_.lines; ++i) {
    if (!lines_[i].remote) update_stock(transaction, i);
  }
  if (!transaction.fetch()) return Lines::kDoomed;
  for (std::uint32_t i = 0; i < new_order_.lines; ++i) {
    if (lines_[i].remote) update_stock(transaction, i);
  }
  return Lines::kPlaced;
}

// As DrTM+H's authors' code goes through an order: who speculates asks for the stocks of other
// nodes first of all, before what is his own.
void Client::ask_before_all(Transaction& transaction) {
  if (transaction.prefetches()) {
    note_stocks(transaction, true);
    transaction.prefetch();
  }
  note_home(transaction);
}

// Then lines with the node's own stocks, and the others, each when its stock has come, which who
// does not speculate asks for by then.
Client::Lines Client::place_lines_one_by_one(Transaction& transaction, std::uint64_t order) {
  create_order(transaction, order);
  for (const bool remote : {false, true}) {
    for (std::uint32_t i = 0; i < new_order_.lines; ++i) {
      if (lines_[i].remote != remote) continue;
      const Lines placed = place_line(transaction, order, i);
      if (placed != Lines::kPlaced) return placed;
    }
  }
  return transaction.fetch() ? Lines::kPlaced : Lines::kDoomed;
}

Client::Lines Client::place_line(Transaction& transaction, std::uint64_t order,
                                 std::uint32_t line) {
  const bool asked = lines_[line].remote && transaction.prefetches();
  if (!asked) note_stock(transaction, line);
  note_item(transaction, line);
  note_line(transaction, order, line);
  if (lines_[line].remote) {
    if (!transaction.fetch()) return Lines::kDoomed;
  } else {
    transaction.prefetch();
    if (doomed(transaction)) return Lines::kDoomed;
  }
  if (!transaction.found(lines_[line].item)) return Lines::kUnknownItem;
  if (!create_line(transaction, line)) return Lines::kDoomed;
  update_stock(transaction, line);
  return Lines::kPlaced;
}

// Counts whatever becomes of the order.
std::uint64_t Client::draw_order(Transaction& transaction, txn::Key district) {
  const std::uint64_t order = transaction.draw(kOrderNumber, id_.node, district);
  ++committed_change_;
  return order;
}

void Client::note_home(Transaction& transaction) {
  const DistrictName& home = new_order_.home;
  warehouse_ = read_home(transaction, kWarehouse, database_.keys().warehouse_key(home.warehouse));
  buyer_ = read_home(
      transaction, kCustomer,
      database_.keys().customer_key(database_.keys().district_key(home), new_order_.customer));
}

// The stocks that are on other nodes, or on this one.
void Client::note_stocks(Transaction& transaction, bool remote) {
  for (std::uint32_t i = 0; i < new_order_.lines; ++i) {
    if (lines_[i].remote == remote) note_stock(transaction, i);
  }
}

// The item that does not exist has no stock either.
void Client::note_stock(Transaction& transaction, std::uint32_t i) {
  const NewOrderLine& line = new_order_.line[i];
  if (line.item == database_.items()) return;
  lines_[i].stock = transaction.want(kStock, database_.keys().partition(line.supply_warehouse),
                                     database_.keys().stock_key(line.supply_warehouse, line.item),
                                     Intent::kUpdate);
}

void Client::note_item(Transaction& transaction, std::uint32_t i) {
  lines_[i].item = read_home(transaction, kItem, Keys::item_key(new_order_.line[i].item));
}

void Client::note_line(Transaction& transaction, std::uint64_t order, std::uint32_t i) {
  const txn::Key district = database_.keys().district_key(new_order_.home);
  lines_[i].order_line =
      read_home(transaction, kOrderLine, database_.keys().order_line_key(district, order, i),
                Intent::kInsert);
}

// Notes what will be inserted besides the lines. False: doomed, or the number of the order is
// taken, so the district was read too early, or is of before what was restored.
bool Client::note_order(Transaction& transaction, std::uint64_t order) {
  const txn::Key district = database_.keys().district_key(new_order_.home);
  order_ =
      read_home(transaction, kOrder, database_.keys().order_key(district, order), Intent::kInsert);
  new_order_entry_ = read_home(transaction, kNewOrder,
                               database_.keys().new_order_key(district, order), Intent::kInsert);
  order_by_customer_ =
      read_home(transaction, kOrderByCustomer,
                database_.keys().order_by_customer_key(district, new_order_.customer, order),
                Intent::kInsert);
  transaction.prefetch();
  return !doomed(transaction) && !transaction.found(order_) &&
         !transaction.found(new_order_entry_) && !transaction.found(order_by_customer_);
}

void Client::create_order(Transaction& transaction, std::uint64_t order) {
  transaction.create<Order>(order_) = {.entry_date = date_,
                                       .customer = new_order_.customer,
                                       .carrier = 0,
                                       .lines = static_cast<std::uint8_t>(new_order_.lines),
                                       .all_local = new_order_.all_local,
                                       .reserved = 0};
  transaction.create<NewOrder>(new_order_entry_).order = order;
  transaction.create<OrderByCustomer>(order_by_customer_).order = order;
}

// False: there is one already, so the order's number was read too early.
bool Client::create_line(Transaction& transaction, std::uint32_t i) {
  if (transaction.found(lines_[i].order_line)) return false;
  const NewOrderLine& input = new_order_.line[i];
  OrderLine& line = transaction.create<OrderLine>(lines_[i].order_line);
  line.item = input.item;
  line.supply_warehouse = input.supply_warehouse;
  line.quantity = input.quantity;
  line.amount = input.quantity * transaction.value<Item>(lines_[i].item).price;
  Database::district_info(input.supply_warehouse, input.item, new_order_.home.district,
                          line.district_info);
  amount_ += line.amount;
  change_ += line.amount;
  return true;
}

// With discount and taxes.
std::int64_t Client::total_amount(std::uint32_t tax, std::uint32_t discount) const {
  constexpr std::int64_t kOne = 10'000;
  return amount_ * (kOne - discount) / kOne * (kOne + tax) / kOne;
}

void Client::update_stock(Transaction& transaction, std::uint32_t i) {
  constexpr std::int32_t kLeastStock = 10;
  constexpr std::int32_t kRefill = 91;
  const NewOrderLine& line = new_order_.line[i];
  Stock& stock = transaction.update<Stock>(lines_[i].stock);
  stock.quantity -= line.quantity;
  if (stock.quantity < kLeastStock) stock.quantity += kRefill;
  stock.ytd += line.quantity;
  ++stock.orders;
  if (line.supply_warehouse != new_order_.home.warehouse) ++stock.remote_orders;
  change_ += line.quantity;
}

}  // namespace verbena::workloads::tpcc
