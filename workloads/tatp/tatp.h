// The TATP benchmark: a home location register of a mobile telephone network.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/nurand.h"
#include "workloads/tatp/database.h"
#include "workloads/tatp/options.h"
#include "workloads/workload.h"

namespace verbena::workloads {

enum class TatpKind : std::uint32_t {
  kGetSubscriberData,
  kGetNewDestination,
  kGetAccessData,
  kUpdateSubscriberData,
  kUpdateLocation,
  kInsertCallForwarding,
  kDeleteCallForwarding,
  kCount
};

/// TATP 1.0 with its mix of 35, 10, 35, 2, 14, 2 and 2 %. Subscribers are drawn over the whole
/// cluster, some much more often. docs/workloads.md lists deviations from the standard.
class Tatp : public Workload {
 public:
  /// Throws ConfigurationError for options that do not fit the cluster.
  Tatp(std::uint32_t nodes, std::uint32_t workers, const TatpOptions& options = {});

  std::string name() const override { return "tatp"; }
  const txn::Schema& schema() const override { return schema_; }
  std::span<const std::string> kinds() const override;
  txn::TransactionLimits limits() const override;
  std::unique_ptr<WorkloadClient> make_client(const ClientPlace& place,
                                              Random random) const override;

  /// Counts one per call forwarding: their final number is the initial one plus insertions minus
  /// deletions.
  std::int64_t amount(txn::TableId table, std::span<const std::byte> payload) const override;

  /// Lists differences from the loaded state in tables that nobody writes, including an index.
  std::vector<std::string> inconsistencies(txn::PartitionId partition,
                                           txn::StateAtRest& state) const override;

  const tatp::Database& database() const { return database_; }

  /// Draws the kind of the next transaction from the mix.
  static TatpKind choose_kind(Random& random);

  /// Draws a subscriber from the standard's non-uniform distribution.
  std::uint64_t choose_subscriber(Random& random) const { return subscribers_.draw(random); }

 private:
  tatp::Database database_;
  NuRand subscribers_;
  txn::Schema schema_;
};

}  // namespace verbena::workloads
