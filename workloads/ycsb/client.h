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

/// Transactions of several operations draw each by the mix, and ask for all records at once. A scan
/// is a transaction of its own: the first draw decides on it, and others are repeated if they give
/// one. Records that several operations choose are fetched once.
///
/// A read wants all fields, an update changes one of them. Since systems write records whole, an
/// update has to fetch what it leaves as it is, and so does what a read-modify-write does. Where
/// updates replace records they write all fields, with a number that nobody else has, and want
/// nothing of what was there.
///
/// Every record that was fetched is looked at before it is changed. If the transaction commits, the
/// first fault goes to Ycsb::report_read: systems that do not validate what a transaction has
/// merely read have nothing else that tells a torn record from a whole one.
class Client : public WorkloadClient {
 public:
  /// `ycsb` must outlive this.
  Client(const Ycsb& ycsb, KeyChooser chooser, Random random);

  std::uint32_t next() override;
  Attempt execute(txn::Transaction& transaction) override;
  std::int64_t committed_change() const override { return committed_change_; }

  /// One operation of a transaction that is not a scan.
  struct Access {
    Operation operation = Operation::kRead;
    Place place;
    std::uint32_t field = 0;  ///< of an update
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
  std::string fault_;  // of the record that the attempt read at faulty_; empty: none
  std::int64_t committed_change_ = 0;
  std::uint64_t attempts_ = 0;  // that had records fetched
};

}  // namespace verbena::workloads::ycsb
