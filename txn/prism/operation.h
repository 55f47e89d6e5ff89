// A transaction of one record.
#pragma once

#include <optional>
#include <vector>

#include "rdma/worker.h"
#include "txn/prism/measures.h"
#include "txn/system.h"
#include "txn/transaction.h"

namespace verbena::txn::prism {

/// A GET or a PUT, or both as one, as a transaction: the part that all stores of single records
/// share. Only the store's own work is charged; the work of transaction systems for an attempt and
/// for each of its records has no counterpart here. Belongs to its fiber.
class Operation : public txn::Transaction {
 public:
  bool overwrites() const override { return true; }

 protected:
  /// All arguments must outlive this.
  Operation(rdma::Worker& worker, const Deployment& deployment, WorkerMetrics& metrics)
      : Transaction(worker),
        deployment_(deployment),
        metrics_(metrics),
        memory_(deployment.limits.record_bytes) {}

  void begin_attempt(Kind kind) override;
  /// Throws std::logic_error for a second record.
  Handle note(const RecordName& wanted, Intent intent) override;
  bool fetch_noted() override;
  bool commit_attempt() override;
  bool roll_back_attempt() override;

  /// Fetches item(); for a blind overwrite it may only find out if the record exists. Sets `found`;
  /// dooms the attempt where it cannot. Returns false when no server was asked.
  virtual bool look_up() = 0;
  /// Replaces the object by the content of item(); dooms the attempt where it cannot.
  virtual void install() = 0;

  Item& item() { return items_.front(); }
  const RecordName& name() const { return *name_; }
  NodeId server() const { return deployment_.view.primary(name_->partition); }
  const TableDefinition& table() const { return deployment_.schema[name_->table]; }

  const Deployment& deployment_;
  WorkerMetrics& metrics_;

 private:
  bool end();

  std::vector<std::byte> memory_;  // memory of the payload
  std::optional<RecordName> name_;
  bool looked_up_ = false;
  Nanoseconds began_at_ = 0;
};

}  // namespace verbena::txn::prism
