// Transactions of PRISM-TX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "txn/prism_tx/attempt/client.h"
#include "txn/prism_tx/attempt/installation.h"
#include "txn/prism_tx/attempt/look_up.h"
#include "txn/prism_tx/attempt/resolution.h"
#include "txn/prism_tx/attempt/validation.h"
#include "txn/prism_tx/records/access.h"
#include "txn/prism_tx/records/timestamp.h"
#include "txn/transaction.h"

namespace verbena::txn::prism_tx {

/// PRISM-TX (PRISM paper, section 8): optimistic, without locks, and in the order of timestamps. An
/// attempt reads (LookUp), takes a timestamp later than all that it has read, and has reads and
/// writes validated at it (Validation). If all stand, it has committed, and installs what it writes
/// (Installation); else it takes back what it has prepared (Resolution). Read-only attempts are
/// validated, too. Belongs to its fiber.
class PrismTransaction final : public txn::Transaction {
 public:
  /// Makes the transactions of the client that has `timestamps`. All that it refers to must outlive
  /// it.
  PrismTransaction(rdma::Worker& worker, const Deployment& deployment, const prism::Layout& layout,
                   const Options& options, prism::Without without, const Owners& owners,
                   rdma::BufferReports& reports, prism::BufferStock* stock, WorkerMetrics& metrics,
                   const Timestamps& timestamps);

  /// Waits for everything noted: no client keeps records, so each is another node's.
  bool prefetches() const override { return true; }
  bool overwrites() const override { return true; }
  std::string waits_for() const override;
  bool gives_up() const override { return gives_up_; }

 protected:
  void begin_attempt(Kind kind) override;
  Handle note(const RecordName& wanted, Intent intent) override;
  void prefetch_noted() override { static_cast<void>(fetch_noted()); }
  bool fetch_noted() override;
  bool commit_attempt() override;
  bool roll_back_attempt() override;

 private:
  bool prepare(bool writes);
  bool reads_what_the_dead_left();
  void measure(Nanoseconds executed, Nanoseconds prepared);
  bool end();

  Client client_;
  Timestamps timestamps_;
  LookUp look_up_;
  Validation validation_;
  Installation installation_;
  Resolution resolution_;
  std::vector<Access> accesses_;   // [handle]
  std::vector<std::byte> memory_;  // of payloads
  std::size_t used_ = 0;           // bytes of it
  Nanoseconds began_at_ = 0;
  Timestamp now_ = 0;  // the attempt's timestamp
  bool gives_up_ = false;
  std::vector<Validation::Lost> left_;  // writes of the dead that attempts have met
};

}  // namespace verbena::txn::prism_tx
