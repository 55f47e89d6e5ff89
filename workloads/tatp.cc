// TATP's mix and transactions.
#include "workloads/tatp.h"

#include <algorithm>
#include <array>

#include "txn/transaction.h"

namespace verbena::workloads {
namespace {

using tatp::CallForwarding;
using tatp::kStartTimes;
using tatp::kTypes;
using tatp::SpecialFacility;
using tatp::Subscriber;
using tatp::SubscriberByNumber;
using txn::Transaction;
using Handle = Transaction::Handle;
using Intent = Transaction::Intent;

const std::array<std::string, static_cast<std::size_t>(TatpKind::kCount)> kKindNames = {
    "get_subscriber_data",    "get_new_destination", "get_access_data",
    "update_subscriber_data", "update_location",     "insert_call_forwarding",
    "delete_call_forwarding"};

// The input of any transaction; each uses some of it.
struct Input {
  std::uint64_t subscriber;
  std::uint32_t type;
  std::uint32_t start;
  std::uint32_t end_time;
  std::uint32_t location;
  std::uint8_t data;
};

class Client : public WorkloadClient {
 public:
  Client(const Tatp& tatp, txn::Random random)
      : tatp_(tatp), database_(tatp.database()), random_(random) {}

  std::uint32_t next() override {
    kind_ = Tatp::choose_kind(random_);
    input_.subscriber = tatp_.choose_subscriber(random_);
    const std::uint64_t word = random_.next();
    input_.type = word % kTypes;
    input_.start = (word >> 8 & 0xffff) % kStartTimes;
    input_.end_time = 1 + (word >> 24 & 0xffff) % 24;
    input_.data = static_cast<std::uint8_t>(word >> 40);
    input_.location = static_cast<std::uint32_t>(random_.next());
    partition_ = database_.partition(input_.subscriber);
    return static_cast<std::uint32_t>(kind_);
  }

  Attempt execute(Transaction& transaction) override {
    switch (kind_) {
      case TatpKind::kGetSubscriberData:
        return get_subscriber_data(transaction);
      case TatpKind::kGetNewDestination:
        return get_new_destination(transaction);
      case TatpKind::kGetAccessData:
        return get_access_data(transaction);
      case TatpKind::kUpdateSubscriberData:
        return update_subscriber_data(transaction);
      case TatpKind::kUpdateLocation:
        return update_location(transaction);
      case TatpKind::kInsertCallForwarding:
        return insert_call_forwarding(transaction);
      case TatpKind::kDeleteCallForwarding:
        return delete_call_forwarding(transaction);
      case TatpKind::kCount:
        break;
    }
    return Attempt::kRolledBack;
  }

  std::int64_t committed_change() const override { return committed_change_; }

 private:
  Handle read(Transaction& transaction, tatp::Table table, txn::Key key,
              Intent intent = Intent::kRead) const {
    return transaction.read(table, partition_, key, intent);
  }

  Attempt finish(Transaction& transaction, std::int64_t change = 0) {
    if (!transaction.commit()) return Attempt::kAborted;
    committed_change_ += change;
    return Attempt::kCommitted;
  }

  static Attempt abandon(Transaction& transaction) {
    transaction.commit();  // doomed: counts the cause
    return Attempt::kAborted;
  }

  static Attempt roll_back(Transaction& transaction) {
    return transaction.roll_back() ? Attempt::kRolledBack : Attempt::kAborted;
  }

  // The subscriber whose telephone number is given: the index is read first.
  bool find_by_number(Transaction& transaction, std::uint64_t& subscriber) const {
    const Handle entry =
        read(transaction, tatp::kSubscriberByNumber, database_.subscriber_key(input_.subscriber));
    if (!transaction.fetch()) return false;
    subscriber = transaction.value<SubscriberByNumber>(entry).subscriber;
    return true;
  }

  Attempt get_subscriber_data(Transaction& transaction) {
    transaction.begin(Transaction::Kind::kReadOnly);
    read(transaction, tatp::kSubscriber, database_.subscriber_key(input_.subscriber));
    return transaction.fetch() ? finish(transaction) : abandon(transaction);
  }

  // The number of a call forwarding of an active facility that holds from the start to after the
  // end. That there is none is an answer too.
  Attempt get_new_destination(Transaction& transaction) {
    transaction.begin(Transaction::Kind::kReadOnly);
    const Handle facility = read(transaction, tatp::kSpecialFacility,
                                 database_.special_facility_key(input_.subscriber, input_.type));
    std::array<Handle, kStartTimes> forwardings{};
    for (std::uint32_t start = 0; start <= input_.start; ++start) {
      forwardings[start] =
          read(transaction, tatp::kCallForwarding,
               database_.call_forwarding_key(input_.subscriber, input_.type, start));
    }
    if (!transaction.fetch()) return abandon(transaction);
    if (transaction.found(facility) && transaction.value<SpecialFacility>(facility).is_active) {
      for (std::uint32_t start = 0; start <= input_.start; ++start) {
        if (!transaction.found(forwardings[start])) continue;
        const auto& forwarding = transaction.value<CallForwarding>(forwardings[start]);
        if (input_.end_time < forwarding.end_time) destination_ = forwarding;
      }
    }
    return finish(transaction);
  }

  Attempt get_access_data(Transaction& transaction) {
    transaction.begin(Transaction::Kind::kReadOnly);
    read(transaction, tatp::kAccessInfo, database_.access_info_key(input_.subscriber, input_.type));
    return transaction.fetch() ? finish(transaction) : abandon(transaction);
  }

  Attempt update_subscriber_data(Transaction& transaction) {
    transaction.begin();
    const Handle subscriber = read(transaction, tatp::kSubscriber,
                                   database_.subscriber_key(input_.subscriber), Intent::kUpdate);
    const Handle facility =
        read(transaction, tatp::kSpecialFacility,
             database_.special_facility_key(input_.subscriber, input_.type), Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    if (!transaction.found(facility)) return roll_back(transaction);
    std::uint8_t& bits = transaction.update<Subscriber>(subscriber).bits[0];
    bits = static_cast<std::uint8_t>((bits & ~1U) | (input_.location & 1U));
    transaction.update<SpecialFacility>(facility).data_a = input_.data;
    return finish(transaction);
  }

  Attempt update_location(Transaction& transaction) {
    transaction.begin();
    std::uint64_t number = 0;
    if (!find_by_number(transaction, number)) return abandon(transaction);
    const Handle subscriber =
        read(transaction, tatp::kSubscriber, database_.subscriber_key(number), Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    transaction.update<Subscriber>(subscriber).vlr_location = input_.location;
    return finish(transaction);
  }

  Attempt insert_call_forwarding(Transaction& transaction) {
    transaction.begin();
    std::uint64_t subscriber = 0;
    if (!find_by_number(transaction, subscriber)) return abandon(transaction);
    std::array<Handle, kTypes> facilities{};
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      facilities[type] = read(transaction, tatp::kSpecialFacility,
                              database_.special_facility_key(subscriber, type));
    }
    if (!transaction.fetch()) return abandon(transaction);
    if (!transaction.found(facilities[input_.type])) return roll_back(transaction);
    const Handle handle =
        read(transaction, tatp::kCallForwarding,
             database_.call_forwarding_key(subscriber, input_.type, input_.start), Intent::kInsert);
    if (!transaction.fetch()) return abandon(transaction);
    if (transaction.found(handle)) return roll_back(transaction);
    auto& forwarding = transaction.create<CallForwarding>(handle);
    forwarding.end_time = static_cast<std::uint8_t>(input_.start * tatp::kHoursPerStart + 1 +
                                                    input_.data % tatp::kHoursPerStart);
    tatp::Database::write_number(input_.location, forwarding.number);
    return finish(transaction, 1);
  }

  Attempt delete_call_forwarding(Transaction& transaction) {
    transaction.begin();
    std::uint64_t subscriber = 0;
    if (!find_by_number(transaction, subscriber)) return abandon(transaction);
    const Handle forwarding =
        read(transaction, tatp::kCallForwarding,
             database_.call_forwarding_key(subscriber, input_.type, input_.start), Intent::kUpdate);
    if (!transaction.fetch()) return abandon(transaction);
    if (!transaction.found(forwarding)) return roll_back(transaction);
    transaction.erase(forwarding);
    return finish(transaction, -1);
  }

  const Tatp& tatp_;
  const tatp::Database& database_;
  txn::Random random_;
  TatpKind kind_ = TatpKind::kGetSubscriberData;
  Input input_{};
  rdma::NodeId partition_ = 0;
  CallForwarding destination_{};  // the last answer
  std::int64_t committed_change_ = 0;
};

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

std::unique_ptr<WorkloadClient> Tatp::make_client(rdma::NodeId, rdma::WorkerId, std::uint16_t,
                                                  txn::Random random) const {
  return std::make_unique<Client>(*this, random);
}

std::int64_t Tatp::amount(txn::TableId table, std::span<const std::byte>) const {
  return table == tatp::kCallForwarding ? 1 : 0;
}

TatpKind Tatp::choose_kind(txn::Random& random) {
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
