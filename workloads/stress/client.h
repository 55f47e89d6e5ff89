// One stream of the stress workload's transactions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "txn/transaction.h"
#include "workloads/stress/input.h"
#include "workloads/stress/record.h"
#include "workloads/workload.h"

namespace verbena::workloads {
class Stress;
}  // namespace verbena::workloads

namespace verbena::workloads::stress {

/// Checks every fetched record and every scan. If the attempt's reads are known to be consistent,
/// because it committed or was rolled back, the client reports the first fault.
class Client : public WorkloadClient {
 public:
  /// `stress` must outlive this object. Clients must have different places.
  Client(const Stress& stress, const ClientPlace& place, Random random);

  std::uint32_t next() override;
  Attempt execute(txn::Transaction& transaction) override;
  std::int64_t committed_change() const override { return committed_change_; }

  /// Input of the transaction that was chosen last. It may be changed before execution.
  Input& input() { return input_; }

 private:
  using Handle = txn::Transaction::Handle;
  enum class State : std::uint8_t { kAsRead, kWritten, kCreated, kErased };
  struct Record {
    State state = State::kAsRead;
    bool for_insert = false;  ///< wanted with this intent by its first use
  };
  struct Wanted {
    Use use;
    Handle handle;
  };

  bool scan(txn::Transaction& transaction);
  bool run(txn::Transaction& transaction, const Round& round);
  void want(txn::Transaction& transaction, const Use& use);
  bool fetch_and_act(txn::Transaction& transaction, Nanoseconds pause);
  Attempt end(txn::Transaction& transaction);
  void check_scan();
  void look_at(const txn::Transaction& transaction, const Wanted& wanted);
  void act(txn::Transaction& transaction, const Wanted& wanted);
  void insert(txn::Transaction& transaction, const Wanted& wanted);
  void update(txn::Transaction& transaction, const Wanted& wanted);
  void erase(txn::Transaction& transaction, Handle handle);
  bool exists(const txn::Transaction& transaction, Handle handle) const;
  void write(const txn::RecordName& name, std::span<std::byte> payload);
  void note_fault(std::string fault);

  const Stress& stress_;
  InputChooser chooser_;
  Random random_;
  Stamp next_stamp_;
  Input input_;
  std::int64_t committed_change_ = 0;
  // State of the running attempt.
  std::vector<txn::Key> keys_;
  std::vector<Wanted> wanted_;   // not fetched yet
  std::vector<Record> records_;  // by handle
  std::int64_t change_ = 0;
  std::string fault_;
};

}  // namespace verbena::workloads::stress
