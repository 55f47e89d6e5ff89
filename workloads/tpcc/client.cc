// Choosing TPC-C's transactions, and what they have in common.
#include "workloads/tpcc/client.h"

namespace verbena::workloads::tpcc {

Client::Client(const Database& database, InputGenerator inputs, ClientId id, ReadFaults* faults)
    : database_(database), inputs_(inputs), id_(id), faults_(faults) {}

std::uint32_t Client::next() {
  kind_ = inputs_.kind();
  step_ = 0;
  done_ = 0;
  ++date_;
  switch (kind_) {
    case Kind::kNewOrder:
      inputs_.new_order(new_order_);
      break;
    case Kind::kPayment:
      payment_ = inputs_.payment();
      break;
    case Kind::kOrderStatus:
      order_status_ = inputs_.order_status();
      break;
    case Kind::kDelivery:
      delivery_ = inputs_.delivery();
      break;
    case Kind::kStockLevel:
      stock_level_ = inputs_.stock_level();
      break;
    case Kind::kAudit:
      audited_warehouse_ = inputs_.audited_warehouse();
      break;
    case Kind::kCount:
      break;
  }
  return static_cast<std::uint32_t>(kind_);
}

Attempt Client::execute(Transaction& transaction) {
  switch (kind_) {
    case Kind::kNewOrder:
      return new_order(transaction);
    case Kind::kPayment:
      return payment(transaction);
    case Kind::kOrderStatus:
      return order_status(transaction);
    case Kind::kDelivery:
      return delivery(transaction);
    case Kind::kStockLevel:
      return stock_level(transaction);
    case Kind::kAudit:
      return audit(transaction);
    case Kind::kCount:
      break;
  }
  return Attempt::kRolledBack;
}

Attempt Client::finish(Transaction& transaction) {
  if (!transaction.commit()) return Attempt::kAborted;
  committed_change_ += change_;
  return Attempt::kCommitted;
}

// Ends an attempt that is doomed, or has read what cannot go together and so would not be
// validated.
Attempt Client::try_again(Transaction& transaction) {
  transaction.roll_back();
  return Attempt::kAborted;
}

bool Client::doomed(const Transaction& transaction) { return transaction.cause().has_value(); }

// Notes the chosen customer; one who is known by name is looked up first. False: doomed.
bool Client::find_customer(Transaction& transaction, const CustomerChoice& choice, Intent intent,
                           Handle& customer) {
  const txn::PartitionId partition = database_.keys().partition(choice.district.warehouse);
  const txn::Key district = database_.keys().district_key(choice.district);
  customer_ = choice.number;
  if (choice.by_name) {
    const Handle name = transaction.want(
        kCustomerName, partition, database_.keys().customer_name_key(district, choice.number));
    if (!transaction.fetch()) return false;
    customer_ = middle_namesake(transaction.payload(name));
  }
  customer = transaction.want(kCustomer, partition,
                              database_.keys().customer_key(district, customer_), intent);
  return true;
}

}  // namespace verbena::workloads::tpcc
