// TPC-C's read-only transactions: order status (clause 2.6) and stock level (clause 2.8).
#include <algorithm>

#include "workloads/tpcc/client.h"

namespace verbena::workloads::tpcc {
namespace {

constexpr std::uint32_t kRecentOrders = 20;

enum StockLevelStep : std::uint32_t { kBegin, kReadLines, kReadStocks, kCounted };

}  // namespace

Attempt Client::order_status(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  change_ = 0;
  Handle customer = 0;
  if (!find_customer(transaction, order_status_, Intent::kRead, customer)) {
    return try_again(transaction);
  }
  const txn::Key district = database_.keys().district_key(order_status_.district);
  std::uint64_t number = 0;
  if (!find_last_order(transaction, district, number)) return try_again(transaction);
  const txn::KeyRange lines =
      home_range(kOrderLine, database_.keys().order_line_key(district, number, 0),
                 database_.keys().order_line_key(district, number + 1, 0) - 1);
  if (!transaction.scan(lines, kMostLines, keys_)) return try_again(transaction);
  for (const txn::Key key : keys_) read_home(transaction, kOrderLine, key);
  if (!transaction.fetch()) return try_again(transaction);
  screen_ = {.district = order_status_.district,
             .customer = customer_,
             .order = number,
             .lines = static_cast<std::uint32_t>(keys_.size())};
  return finish(transaction);
}

// False: doomed, or about to be since the customer has no order.
bool Client::find_last_order(Transaction& transaction, txn::Key district, std::uint64_t& number) {
  const txn::Key first = database_.keys().order_by_customer_key(district, customer_, 0);
  txn::Key last = database_.keys().last_order_by_customer_key(district, customer_);
  for (;;) {
    txn::KeyRange orders = home_range(kOrderByCustomer, first, last);
    orders.descending = true;
    if (!transaction.scan(orders, 1, keys_)) return false;
    if (keys_.empty()) return false;
    number = database_.order_of_customer_key(keys_[0]);
    const Handle order =
        read_home(transaction, kOrder, database_.keys().order_key(district, number));
    if (!transaction.fetch()) return false;
    if (transaction.found(order)) return true;
    last = keys_[0] - 1;  // it was being inserted, and then was not
  }
}

// The standard asks for committed reads only, so lines and stocks are read some at a time: what one
// transaction touches has a modest bound.
Attempt Client::stock_level(Transaction& transaction) {
  change_ = 0;
  if (step_ == kBegin) {
    items_.clear();
    screen_ = {.district = stock_level_.home, .threshold = stock_level_.threshold};
    done_ = 0;
  }
  while (step_ != kCounted) {
    const Attempt attempt =
        step_ == kReadStocks ? read_stocks(transaction) : read_recent_lines(transaction);
    if (attempt == Attempt::kAborted) return attempt;
  }
  return Attempt::kCommitted;
}

// Reads some lines of the last orders, from those after the lines read before.
Attempt Client::read_recent_lines(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  if (step_ == kBegin && !find_recent_lines(transaction)) return try_again(transaction);
  const txn::KeyRange lines = home_range(kOrderLine, next_line_, last_line_);
  if (!transaction.scan(lines, kStockLevelBatch, keys_)) return try_again(transaction);
  handles_.clear();
  for (const txn::Key key : keys_) handles_.push_back(read_home(transaction, kOrderLine, key));
  if (!transaction.fetch()) return try_again(transaction);
  const std::size_t known = items_.size();
  for (const Handle handle : handles_) {
    if (transaction.found(handle)) {
      items_.push_back(transaction.value<OrderLine>(handle).item);
    }
  }
  const Attempt attempt = finish(transaction);
  if (attempt == Attempt::kAborted) {
    items_.resize(known);
    return attempt;
  }
  step_ = kReadLines;
  if (keys_.size() == kStockLevelBatch) {
    next_line_ = keys_.back() + 1;
  } else {
    std::sort(items_.begin(), items_.end());
    items_.erase(std::unique(items_.begin(), items_.end()), items_.end());
    step_ = kReadStocks;
  }
  return attempt;
}

// Numbers that are drawn are of any time: some of the last 20 have no order, or none yet that the
// transaction sees. Those that it sees are looked at, as the standard's query has it (clause
// 2.8.2.2), which goes by numbers.
bool Client::find_recent_lines(Transaction& transaction) {
  const txn::Key key = database_.keys().district_key(stock_level_.home);
  const bool draws = database_.draws_orders();
  const Handle counts = read_home(transaction, draws ? kOrderNumber : kDistrict, key);
  if (!transaction.fetch()) return false;
  const std::uint64_t next = draws ? transaction.value<OrderNumber>(counts).next
                                   : transaction.value<District>(counts).next_order;
  next_line_ =
      database_.keys().order_line_key(key, next - std::min<std::uint64_t>(next, kRecentOrders), 0);
  last_line_ = database_.keys().order_line_key(key, next, 0) - 1;
  return true;
}

Attempt Client::read_stocks(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  const std::size_t end = std::min(items_.size(), done_ + kStockLevelBatch);
  handles_.clear();
  for (std::size_t i = done_; i < end; ++i) {
    handles_.push_back(read_home(
        transaction, kStock, database_.keys().stock_key(stock_level_.home.warehouse, items_[i])));
  }
  if (!transaction.fetch()) return try_again(transaction);
  std::uint32_t low = 0;
  for (const Handle handle : handles_) {
    low += transaction.value<Stock>(handle).quantity < stock_level_.threshold ? 1 : 0;
  }
  const Attempt attempt = finish(transaction);
  if (attempt == Attempt::kAborted) return attempt;
  screen_.low_stocks += low;
  done_ = end;
  if (done_ == items_.size()) step_ = kCounted;
  return attempt;
}

}  // namespace verbena::workloads::tpcc
