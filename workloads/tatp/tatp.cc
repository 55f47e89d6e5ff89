// TATP as a workload.
#include "workloads/tatp/tatp.h"

#include <algorithm>
#include <array>

#include "workloads/tatp/client.h"
#include "workloads/unwritten_tables.h"

namespace verbena::workloads {
namespace {

using tatp::CallForwarding;
using tatp::kStartTimes;
using tatp::kTypes;
using tatp::SpecialFacility;
using tatp::Subscriber;
using tatp::SubscriberByNumber;

const std::array<std::string, static_cast<std::size_t>(TatpKind::kCount)> kKindNames = {
    "get_subscriber_data",    "get_new_destination", "get_access_data",
    "update_subscriber_data", "update_location",     "insert_call_forwarding",
    "delete_call_forwarding"};

// The standard's A for so many subscribers.
std::uint64_t subscriber_mask(std::uint64_t subscribers) {
  if (subscribers <= 1'000'000) return 65'535;
  if (subscribers <= 10'000'000) return 1'048'575;
  return 2'097'151;
}

}  // namespace

Tatp::Tatp(std::uint32_t nodes, std::uint32_t workers, const TatpOptions& options)
    : database_(nodes, workers, options),
      subscribers_{.mask = subscriber_mask(database_.subscribers()),
                   .constant = 0,
                   .bound = database_.subscribers()},
      schema_(database_.schema()) {}

std::span<const std::string> Tatp::kinds() const { return kKindNames; }

// Inserts read most records, get-new-destination reads as many bytes, update-subscriber-data writes
// most.
txn::TransactionLimits Tatp::limits() const {
  constexpr std::uint32_t kMostBytes = std::max(
      sizeof(SubscriberByNumber) + kTypes * sizeof(SpecialFacility) + sizeof(CallForwarding),
      sizeof(SpecialFacility) + kStartTimes * sizeof(CallForwarding));
  return {.records = 2 + kTypes,
          .written = 2,
          .record_bytes = kMostBytes,
          .written_bytes = sizeof(Subscriber) + sizeof(SpecialFacility)};
}

std::unique_ptr<WorkloadClient> Tatp::make_client(const ClientPlace&, Random random) const {
  return std::make_unique<tatp::Client>(*this, random);
}

std::int64_t Tatp::amount(txn::TableId table, std::span<const std::byte>) const {
  return table == tatp::kCallForwarding ? 1 : 0;
}

std::vector<std::string> Tatp::inconsistencies(txn::PartitionId partition,
                                               txn::StateAtRest& state) const {
  constexpr std::array<txn::TableId, 2> kUnwritten = {tatp::kSubscriberByNumber, tatp::kAccessInfo};
  return changed_rows(schema_, kUnwritten, partition, state);
}

TatpKind Tatp::choose_kind(Random& random) {
  const std::uint64_t percent = random.below(100);
  if (percent < 35) return TatpKind::kGetSubscriberData;
  if (percent < 45) return TatpKind::kGetNewDestination;
  if (percent < 80) return TatpKind::kGetAccessData;
  if (percent < 82) return TatpKind::kUpdateSubscriberData;
  if (percent < 96) return TatpKind::kUpdateLocation;
  if (percent < 98) return TatpKind::kInsertCallForwarding;
  return TatpKind::kDeleteCallForwarding;
}

}  // namespace verbena::workloads
