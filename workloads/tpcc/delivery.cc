// TPC-C's delivery transaction (clause 2.7).
#include "workloads/tpcc/client.h"

namespace verbena::workloads::tpcc {

// One transaction of the store per district, as the standard allows; counted as one delivery.
Attempt Client::delivery(Transaction& transaction) {
  for (; step_ < kDistricts; ++step_) {
    const DistrictName name{.warehouse = delivery_.warehouse, .district = step_};
    if (step_ == 0) screen_ = {.district = name};
    if (deliver(transaction, database_.keys().district_key(name)) == Attempt::kAborted) {
      return Attempt::kAborted;
    }
  }
  return Attempt::kCommitted;
}

// Delivers the oldest order that is not, if there is one.
Attempt Client::deliver(Transaction& transaction, txn::Key district) {
  transaction.begin();
  change_ = 0;
  const txn::Key last = database_.keys().first_new_order_key(district + 1) - 1;
  txn::Key first = database_.keys().first_new_order_key(district);
  Handle new_order = 0;
  for (;;) {
    if (!transaction.scan(home_range(kNewOrder, first, last), 1, keys_)) {
      return try_again(transaction);
    }
    if (keys_.empty()) return finish(transaction);
    new_order = read_home(transaction, kNewOrder, keys_[0], Intent::kUpdate);
    if (!transaction.fetch()) return try_again(transaction);
    if (transaction.found(new_order)) break;
    first = keys_[0] + 1;  // it was being inserted, and then was not
  }

  const std::uint64_t number = database_.keys().order_of_new_order_key(keys_[0]);
  const Handle order =
      read_home(transaction, kOrder, database_.keys().order_key(district, number), Intent::kUpdate);
  if (!transaction.fetch()) return try_again(transaction);
  if (!transaction.found(order)) return try_again(transaction);
  Order& delivered = transaction.update<Order>(order);
  delivered.carrier = delivery_.carrier;
  const Handle customer =
      read_home(transaction, kCustomer, database_.keys().customer_key(district, delivered.customer),
                Intent::kUpdate);
  handles_.clear();
  for (std::uint32_t line = 0; line < delivered.lines; ++line) {
    handles_.push_back(read_home(transaction, kOrderLine,
                                 database_.keys().order_line_key(district, number, line),
                                 Intent::kUpdate));
  }
  if (!transaction.fetch()) return try_again(transaction);
  for (const Handle handle : handles_) {
    if (!transaction.found(handle)) return try_again(transaction);
    OrderLine& line = transaction.update<OrderLine>(handle);
    line.delivery_date = date_;
    change_ += line.amount;
  }
  Customer& payer = transaction.update<Customer>(customer);
  payer.balance += change_;
  ++payer.deliveries;
  transaction.erase(new_order);
  const Attempt attempt = finish(transaction);
  if (attempt == Attempt::kCommitted) ++screen_.delivered;
  return attempt;
}

}  // namespace verbena::workloads::tpcc
