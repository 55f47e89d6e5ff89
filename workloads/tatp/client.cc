// TATP's transactions.
#include "workloads/tatp/client.h"

#include <array>

#include "workloads/end_attempt.h"

namespace verbena::workloads::tatp {

std::uint32_t Client::next() {
  const TatpKind kind = Tatp::choose_kind(random_);
  Input input;
  input.subscriber = tatp_.choose_subscriber(random_);
  const std::uint64_t word = random_.next();
  input.type = word % kTypes;
  input.start = (word >> 8 & 0xffff) % kStartTimes;
  input.end_time = 1 + (word >> 24 & 0xffff) % 24;
  input.data = static_cast<std::uint8_t>(word >> 40);
  input.location = static_cast<std::uint32_t>(random_.next());
  choose(kind, input);
  return static_cast<std::uint32_t>(kind);
}

void Client::choose(TatpKind kind, const Input& input) {
  kind_ = kind;
  input_ = input;
  partition_ = database().partition(input_.subscriber);
}

Attempt Client::execute(Transaction& transaction) {
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

Attempt Client::finish(Transaction& transaction, std::int64_t change) {
  if (!transaction.commit()) return Attempt::kAborted;
  committed_change_ += change;
  return Attempt::kCommitted;
}

// The subscriber whose telephone number is given: the index is read first.
bool Client::find_by_number(Transaction& transaction, std::uint64_t& subscriber) const {
  const Handle entry =
      want(transaction, kSubscriberByNumber, database().subscriber_key(input_.subscriber));
  if (!transaction.fetch()) return false;
  subscriber = transaction.value<SubscriberByNumber>(entry).subscriber;
  return true;
}

Attempt Client::get_subscriber_data(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  want(transaction, kSubscriber, database().subscriber_key(input_.subscriber));
  return transaction.fetch() ? finish(transaction) : abandon(transaction);
}

// The number of a call forwarding of an active facility that holds from the start to after the
// end. That there is none is an answer too.
Attempt Client::get_new_destination(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  destination_.reset();
  const Handle facility = want(transaction, kSpecialFacility,
                               database().special_facility_key(input_.subscriber, input_.type));
  std::array<Handle, kStartTimes> forwardings{};
  for (std::uint32_t start = 0; start <= input_.start; ++start) {
    forwardings[start] =
        want(transaction, kCallForwarding,
             database().call_forwarding_key(input_.subscriber, input_.type, start));
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

Attempt Client::get_access_data(Transaction& transaction) {
  transaction.begin(Transaction::Kind::kReadOnly);
  want(transaction, kAccessInfo, database().access_info_key(input_.subscriber, input_.type));
  return transaction.fetch() ? finish(transaction) : abandon(transaction);
}

Attempt Client::update_subscriber_data(Transaction& transaction) {
  transaction.begin();
  const Handle subscriber =
      want(transaction, kSubscriber, database().subscriber_key(input_.subscriber), Intent::kUpdate);
  const Handle facility =
      want(transaction, kSpecialFacility,
           database().special_facility_key(input_.subscriber, input_.type), Intent::kUpdate);
  if (!transaction.fetch()) return abandon(transaction);
  if (!transaction.found(facility)) return roll_back(transaction);
  std::uint8_t& bits = transaction.update<Subscriber>(subscriber).bits[0];
  bits = static_cast<std::uint8_t>((bits & ~1U) | (input_.location & 1U));
  transaction.update<SpecialFacility>(facility).data_a = input_.data;
  return finish(transaction);
}

Attempt Client::update_location(Transaction& transaction) {
  transaction.begin();
  std::uint64_t number = 0;
  if (!find_by_number(transaction, number)) return abandon(transaction);
  const Handle subscriber =
      want(transaction, kSubscriber, database().subscriber_key(number), Intent::kUpdate);
  if (!transaction.fetch()) return abandon(transaction);
  transaction.update<Subscriber>(subscriber).vlr_location = input_.location;
  return finish(transaction);
}

Attempt Client::insert_call_forwarding(Transaction& transaction) {
  transaction.begin();
  std::uint64_t subscriber = 0;
  if (!find_by_number(transaction, subscriber)) return abandon(transaction);
  std::array<Handle, kTypes> facilities{};
  for (std::uint32_t type = 0; type < kTypes; ++type) {
    facilities[type] =
        want(transaction, kSpecialFacility, database().special_facility_key(subscriber, type));
  }
  if (!transaction.fetch()) return abandon(transaction);
  if (!transaction.found(facilities[input_.type])) return roll_back(transaction);
  const Handle handle =
      want(transaction, kCallForwarding,
           database().call_forwarding_key(subscriber, input_.type, input_.start), Intent::kInsert);
  if (!transaction.fetch()) return abandon(transaction);
  if (transaction.found(handle)) return roll_back(transaction);
  auto& forwarding = transaction.create<CallForwarding>(handle);
  forwarding.end_time =
      static_cast<std::uint8_t>(input_.start * kHoursPerStart + 1 + input_.data % kHoursPerStart);
  Database::write_number(input_.location, forwarding.number);
  return finish(transaction, 1);
}

Attempt Client::delete_call_forwarding(Transaction& transaction) {
  transaction.begin();
  std::uint64_t subscriber = 0;
  if (!find_by_number(transaction, subscriber)) return abandon(transaction);
  const Handle forwarding =
      want(transaction, kCallForwarding,
           database().call_forwarding_key(subscriber, input_.type, input_.start), Intent::kUpdate);
  if (!transaction.fetch()) return abandon(transaction);
  if (!transaction.found(forwarding)) return roll_back(transaction);
  transaction.erase(forwarding);
  return finish(transaction, -1);
}

}  // namespace verbena::workloads::tatp
