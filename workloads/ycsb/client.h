// One stream of YCSB's transactions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "txn/transaction.h"
#include "workloads/workload.h"
#include "workloads/ycsb/key_chooser.h"
#include "workloads/ycsb/mix.h"

namespace verbena::workloads {
class Ycsb;
}  // namespace verbena::workloads

namespace verbena::workloads::ycsb {

/// Makes transactions of one or several operations. Each operation is drawn from the mix, and all
/// records are fetched at once. A scan is a transaction of its own: the first draw decides, and
/// later draws that give a scan are repeated. A record that several operations choose is fetched
/// once.
///
/// A read wants all fields; an update changes one of them. Systems write records whole, so updates
/// and read-modify-writes fetch the record. Where updates replace records, they write all fields,
/// with a number that no other write has, and fetch nothing.
///
/// Every fetched record is checked before it is changed. If the transaction commits, the first
/// fault goes to Ycsb::report_read. Systems that do not validate pure reads have no other way to
/// detect torn records.
class Client : public WorkloadClient {
 public:
  /// `ycsb` must outlive this object.
  Client(const Ycsb& ycsb, KeyChooser chooser, Random random);

  std::uint32_t next() override;
  Attempt execute(txn::Transaction& transaction) override;
  std::int64_t committed_change() const override { return committed_change_; }

  /// One operation of a transaction that is not a scan.
  struct Access {
    Operation operation = Operation::kRead;
    Place place;
    std::uint32_t field = 0;  ///< of an update: the field
    txn::Transaction::Intent intent = txn::Transaction::Intent::kRead;
  };

  /// Accesses of the transaction that was chosen last.
  const std::vector<Access>& accesses() const { return accesses_; }

  /// Keys that the latest scan found, in their order.
  const std::vector<txn::Key>& scanned() const { return keys_; }

 private:
  void choose_scan();
  void add(Operation operation);
  void share_intent();
  std::uint32_t kind() const;
  Attempt run(txn::Transaction& transaction);
  void change(txn::Transaction& transaction, std::size_t access) const;
  Attempt scan(txn::Transaction& transaction);
  void look_at(const txn::Transaction& transaction, std::size_t index, const Place& place);
  Attempt end(txn::Transaction& transaction);

  const Ycsb& ycsb_;
  KeyChooser chooser_;
  Random random_;
  bool scans_ = false;  // the chosen transaction is a scan
  Place scan_start_;
  std::uint32_t scan_length_ = 0;
  std::vector<Access> accesses_;
  std::uint32_t insertions_ = 0;  // of accesses_
  std::uint32_t writes_ = 0;      // of accesses_, insertions included
  std::vector<txn::Transaction::Handle> handles_;
  std::vector<txn::Key> keys_;  // of a scan
  Place faulty_;
  std::string fault_;  // fault of the record read at faulty_; empty: none
  std::int64_t committed_change_ = 0;
  std::uint64_t attempts_ = 0;  // number of attempts that fetched records
};

}  // namespace verbena::workloads::ycsb
