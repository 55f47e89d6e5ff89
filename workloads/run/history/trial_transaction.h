// A transaction on the initial database, alone and without a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::workloads {

/// Tells what a client would write: every attempt sees the tables as they are loaded, takes no time
/// and is aborted in the end, so the client expects no effect of it. Belongs to one thread.
class TrialTransaction final : public txn::Transaction {
 public:
  /// The worker is never used, and need not run. Both must outlive it.
  TrialTransaction(rdma::Worker& worker, const txn::Schema& schema)
      : Transaction(worker), schema_(schema) {}

  /// The records that the latest attempt would have written; none if it was rolled back.
  const std::vector<txn::RecordName>& written() const { return written_; }

  void wait(Nanoseconds) override {}

 protected:
  void begin_attempt(Kind kind) override;
  Handle note(const txn::RecordName& name, Intent intent) override;
  bool fetch_noted() override;
  void prefetch_noted() override { static_cast<void>(fetch_noted()); }
  bool scan_range(const txn::KeyRange& range, std::uint32_t limit,
                  std::vector<txn::Key>& keys) override;
  std::uint64_t draw_number(const txn::RecordName& name) override;
  bool commit_attempt() override;
  bool roll_back_attempt() override;

 private:
  /// True if `name` is loaded; puts its payload, or zeros, into `payload`.
  bool load(const txn::RecordName& name, std::vector<std::byte>& payload) const;

  const txn::Schema& schema_;
  std::vector<txn::RecordName> names_;           // by handle
  std::deque<std::vector<std::byte>> payloads_;  // likewise
  std::vector<txn::RecordName> written_;
};

}  // namespace verbena::workloads
