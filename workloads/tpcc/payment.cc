// TPC-C's payment transaction (clause 2.5).
#include <charconv>
#include <cstring>

#include "workloads/tpcc/client.h"

namespace verbena::workloads::tpcc {

Attempt Client::payment(Transaction& transaction) {
  transaction.begin();
  change_ = 0;
  Handle customer = 0;
  if (!find_customer(transaction, payment_.customer, Intent::kUpdate, customer)) {
    return try_again(transaction);
  }
  transaction.prefetch();
  const DistrictName& home = payment_.home;
  const Handle warehouse = read_home(
      transaction, kWarehouse, database_.keys().warehouse_key(home.warehouse), Intent::kUpdate);
  const Handle district =
      read_home(transaction, kDistrict, database_.keys().district_key(home), Intent::kUpdate);
  const Handle history =
      read_home(transaction, kHistory, database_.keys().history_key(id_.worker, id_.fiber, date_),
                Intent::kInsert);
  if (!transaction.fetch()) return try_again(transaction);
  if (transaction.found(history)) {
    pass_dates();
    return try_again(transaction);
  }

  transaction.update<Warehouse>(warehouse).ytd += payment_.amount;
  transaction.update<District>(district).ytd += payment_.amount;
  pay(transaction.update<Customer>(customer));
  create_history(transaction.create<History>(history), transaction.value<Warehouse>(warehouse),
                 transaction.value<District>(district));
  screen_ = {.district = payment_.customer.district, .customer = customer_};
  // The customer's balance and payments change by the same, so their sum does not.
  change_ = payment_.amount;
  return finish(transaction);
}

// A client of an earlier run, of which records were restored, has used it, and perhaps many more.
void Client::pass_dates() {
  date_ += passed_;
  passed_ *= 2;
}

// A customer with bad credit has the payment noted before the older data, as far as there is room.
void Client::pay(Customer& customer) {
  customer.balance -= payment_.amount;
  customer.ytd_payment += payment_.amount;
  ++customer.payments;
  if (std::memcmp(customer.credit, "BC", 2) != 0) return;
  const DistrictName& district = payment_.customer.district;
  char note[80];
  char* end = note;
  for (const std::uint32_t number :
       {customer_, district.district, district.warehouse, payment_.home.district,
        payment_.home.warehouse, payment_.amount}) {
    end = std::to_chars(end, note + sizeof note, number).ptr;
    *end++ = ' ';
  }
  const auto length = static_cast<std::size_t>(end - note);
  std::memmove(customer.data + length, customer.data, sizeof customer.data - length);
  std::memcpy(customer.data, note, length);
}

void Client::create_history(History& history, const Warehouse& warehouse,
                            const District& district) const {
  history.amount = payment_.amount;
  history.date = date_;
  history.customer = static_cast<std::uint16_t>(customer_);
  history.customer_warehouse = static_cast<std::uint16_t>(payment_.customer.district.warehouse);
  history.warehouse = static_cast<std::uint16_t>(payment_.home.warehouse);
  history.customer_district = static_cast<std::uint8_t>(payment_.customer.district.district);
  history.district = static_cast<std::uint8_t>(payment_.home.district);
  constexpr std::size_t kGap = 4;  // blanks between the names
  std::memcpy(history.data, warehouse.name, sizeof warehouse.name);
  std::memset(history.data + sizeof warehouse.name, ' ', kGap);
  std::memcpy(history.data + sizeof warehouse.name + kGap, district.name, sizeof district.name);
}

}  // namespace verbena::workloads::tpcc
