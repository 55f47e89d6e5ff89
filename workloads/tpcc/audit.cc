// Auditing a warehouse in the midst of a run: consistency condition 1 (clause 3.3.2.1), which every
// snapshot has to hold.
#include <array>
#include <string>

#include "workloads/tpcc/client.h"

namespace verbena::workloads::tpcc {

Attempt Client::audit(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  change_ = 0;
  const Handle warehouse =
      read_home(transaction, kWarehouse, database_.keys().warehouse_key(audited_warehouse_));
  std::array<Handle, kDistricts> districts{};
  for (std::uint32_t number = 0; number < kDistricts; ++number) {
    const DistrictName name{.warehouse = audited_warehouse_, .district = number};
    districts[number] = read_home(transaction, kDistrict, database_.keys().district_key(name));
  }
  if (!transaction.fetch()) return try_again(transaction);
  const std::int64_t ytd = transaction.value<Warehouse>(warehouse).ytd;
  std::int64_t sum = 0;
  for (const Handle district : districts) sum += transaction.value<District>(district).ytd;
  const Attempt attempt = finish(transaction);
  // An attempt that does not commit may have read anything.
  if (attempt == Attempt::kCommitted && ytd != sum && faults_ != nullptr) {
    faults_->add("audit of warehouse " + std::to_string(audited_warehouse_) +
                 " during the run: w_ytd is " + std::to_string(ytd) + ", the sum of d_ytd " +
                 std::to_string(sum));
  }
  return attempt;
}

}  // namespace verbena::workloads::tpcc
