// A transaction on the initial database, without a cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "txn/schema/table.h"
#include "txn/transaction.h"

namespace verbena::workloads {

/// Finds what a client would write. Every attempt sees the tables as loaded, takes no time and is
/// aborted in the end, so that the client expects no effect. Belongs to one thread.
class TrialTransaction final : public txn::Transaction {
 public:
  /// Both arguments must outlive this object. The worker is never used and need not run.
  TrialTransaction(rdma::Worker& worker, const txn::Schema& schema)
      : Transaction(worker), schema_(schema) {}

  /// Records that the latest attempt would have written; empty if it was rolled back.
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
  std::deque<std::vector<std::byte>> payloads_;  // by handle
  std::vector<txn::RecordName> written_;
};

}  // namespace verbena::workloads
