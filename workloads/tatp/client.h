// One stream of TATP's transactions.
#pragma once

#include <cstdint>
#include <optional>

#include "txn/transaction.h"
#include "workloads/tatp/tatp.h"

namespace verbena::workloads::tatp {

/// Input of a transaction; each kind uses some of the members.
struct Input {
  std::uint64_t subscriber = 0;
  std::uint32_t type = 0;   ///< of an access info or a special facility
  std::uint32_t start = 0;  ///< of a call forwarding: one of kStartTimes
  std::uint32_t end_time = 0;
  std::uint32_t location = 0;
  std::uint8_t data = 0;
};

class Client : public WorkloadClient {
 public:
  Client(const Tatp& tatp, Random random) : tatp_(tatp), random_(random) {}

  std::uint32_t next() override;
  /// Chooses `kind` with `input` instead of a random transaction.
  void choose(TatpKind kind, const Input& input);
  Attempt execute(txn::Transaction& transaction) override;
  std::int64_t committed_change() const override { return committed_change_; }

  /// The destination that the last committed get-new-destination found.
  const std::optional<CallForwarding>& destination() const { return destination_; }

 private:
  using Transaction = txn::Transaction;
  using Handle = Transaction::Handle;
  using Intent = Transaction::Intent;

  const Database& database() const { return tatp_.database(); }
  Handle want(Transaction& transaction, Table table, txn::Key key,
              Intent intent = Intent::kRead) const {
    return transaction.want(table, partition_, key, intent);
  }
  Attempt finish(Transaction& transaction, std::int64_t change = 0);
  bool find_by_number(Transaction& transaction, std::uint64_t& subscriber) const;

  Attempt get_subscriber_data(Transaction& transaction);
  Attempt get_new_destination(Transaction& transaction);
  Attempt get_access_data(Transaction& transaction);
  Attempt update_subscriber_data(Transaction& transaction);
  Attempt update_location(Transaction& transaction);
  Attempt insert_call_forwarding(Transaction& transaction);
  Attempt delete_call_forwarding(Transaction& transaction);

  const Tatp& tatp_;
  Random random_;
  TatpKind kind_ = TatpKind::kGetSubscriberData;
  Input input_;
  txn::PartitionId partition_ = 0;
  std::optional<CallForwarding> destination_;
  std::int64_t committed_change_ = 0;
};

}  // namespace verbena::workloads::tatp
