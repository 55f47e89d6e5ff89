// TATP's tables and their initial records.
#include "workloads/tatp/database.h"

#include <algorithm>
#include <string>

#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"
#include "workloads/key_text.h"

namespace verbena::workloads::tatp {
namespace {

// The circles of the types of two neighbours.
constexpr std::uint32_t kTypePlaces = 2 * kTypes;
constexpr std::uint32_t kTypesThere = 5;
constexpr unsigned kTypeBits = 3;

// The circles of the call forwardings of four neighbours. Places beyond the circle are of
// facilities that do not exist.
constexpr std::uint32_t kForwardingPlaces = 2 * kTypesThere * kStartTimes;
constexpr std::uint32_t kForwardingsThere = kForwardingPlaces / 2;
constexpr unsigned kForwardingBits = 6;

std::uint32_t rotation(Table table, std::uint64_t circle, std::uint32_t places) {
  return static_cast<std::uint32_t>(mix64(circle * kTables + table) % places);
}

// Neighbours on half of the circles are seven places apart, else the facilities would have all
// three call forwardings or none too often.
std::uint32_t spread(std::uint64_t circle) { return (mix64(~circle) & 1) == 0 ? 1 : 7; }
std::uint32_t unspread(std::uint64_t circle) { return spread(circle) == 1 ? 1 : 13; }

template <typename Record>
Record& as(std::span<std::byte> payload) {
  return *reinterpret_cast<Record*>(payload.data());
}

void load_subscriber(KeyText text, std::uint64_t number, Subscriber& subscriber) {
  subscriber.msc_location = text.number(1, UINT32_MAX);
  subscriber.vlr_location = text.number(1, UINT32_MAX);
  Database::write_number(number, subscriber.number);
  for (std::uint8_t& two : subscriber.hexadecimals) {
    two = static_cast<std::uint8_t>(text.number(0, 255));
  }
  for (std::uint8_t& byte : subscriber.bytes) byte = static_cast<std::uint8_t>(text.number(0, 255));
  subscriber.bits[0] = static_cast<std::uint8_t>(text.number(0, 255));
  subscriber.bits[1] = static_cast<std::uint8_t>(text.number(0, 3));
}

void load_access_info(KeyText text, AccessInfo& info) {
  info.data_1 = static_cast<std::uint8_t>(text.number(0, 255));
  info.data_2 = static_cast<std::uint8_t>(text.number(0, 255));
  text.letters(info.data_3);
  text.letters(info.data_4);
}

void load_special_facility(KeyText text, SpecialFacility& facility) {
  facility.is_active = text.number(0, 99) < 85;
  facility.error_control = static_cast<std::uint8_t>(text.number(0, 255));
  facility.data_a = static_cast<std::uint8_t>(text.number(0, 255));
  text.letters(facility.data_b);
}

void load_call_forwarding(KeyText text, std::uint32_t start, CallForwarding& forwarding) {
  forwarding.end_time = static_cast<std::uint8_t>(start * kHoursPerStart + text.number(1, 8));
  text.digits(forwarding.number);
}

}  // namespace

Database::Database(std::uint32_t nodes, std::uint32_t workers, const TatpOptions& options)
    : nodes_(nodes), per_node_(options.subscribers_per_worker * workers) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  if (per_node_ > 0 && per_node_ % 4 == 0 && per_node_ <= kMost) return;
  throw ConfigurationError("tatp: subscribers_per_worker " +
                           std::to_string(options.subscribers_per_worker) + " with " +
                           counted(workers, "worker") +
                           "; allowed are multiples of 4 per node, 4 to " + std::to_string(kMost));
}

txn::Key Database::type_key(Table table, txn::Key subscriber, std::uint32_t type) {
  const std::uint64_t pair = subscriber / 2;
  const auto place = static_cast<std::uint32_t>(subscriber % 2) * kTypes + type;
  return pair << kTypeBits | (place + rotation(table, pair, kTypePlaces)) % kTypePlaces;
}

txn::Key Database::call_forwarding_key(std::uint64_t subscriber, std::uint32_t type,
                                       std::uint32_t start) const {
  const txn::Key facility = special_facility_key(subscriber, type);
  const std::uint64_t pair = facility >> kTypeBits;
  const auto place = static_cast<std::uint32_t>(facility % kTypePlaces);
  const std::uint64_t circle = pair / 2;
  const auto second = static_cast<std::uint32_t>(pair % 2);
  if (place >= kTypesThere) {
    const std::uint32_t absent = second * (kTypePlaces - kTypesThere) + place - kTypesThere;
    return circle << kForwardingBits | (kForwardingPlaces + absent * kStartTimes + start);
  }
  const std::uint32_t there = (second * kTypesThere + place) * kStartTimes + start;
  return circle << kForwardingBits |
         (there * spread(circle) + rotation(kCallForwarding, circle, kForwardingPlaces)) %
             kForwardingPlaces;
}

// The start time that an initial record's key stands for.
std::uint32_t Database::start_of_key(txn::Key call_forwarding) {
  const std::uint64_t circle = call_forwarding >> kForwardingBits;
  const auto place = static_cast<std::uint32_t>(call_forwarding % (1U << kForwardingBits));
  const std::uint32_t turned =
      place + kForwardingPlaces - rotation(kCallForwarding, circle, kForwardingPlaces);
  return turned * unspread(circle) % kForwardingPlaces % kStartTimes;
}

void Database::write_number(std::uint64_t subscriber, std::span<char, 15> text) {
  for (std::size_t at = text.size(); at-- > 0; subscriber /= 10) {
    text[at] = static_cast<char>('0' + subscriber % 10);
  }
}

txn::Schema Database::schema() const {
  const std::uint64_t pairs = per_node_ / 2;
  const std::uint64_t circles = per_node_ / 4;
  txn::Schema schema(kTables);
  schema[kSubscriber] = {
      .name = "subscriber", .payload_bytes = sizeof(Subscriber), .initial_records = per_node_};
  schema[kSubscriberByNumber] = {.name = "subscriber_by_number",
                                 .payload_bytes = sizeof(SubscriberByNumber),
                                 .initial_records = per_node_};
  schema[kAccessInfo] = {.name = "access_info",
                         .payload_bytes = sizeof(AccessInfo),
                         .initial_records = pairs * kTypesThere,
                         .key_levels = {{pairs, kTypeBits}, {kTypesThere, 0}}};
  schema[kSpecialFacility] = {.name = "special_facility",
                              .payload_bytes = sizeof(SpecialFacility),
                              .initial_records = pairs * kTypesThere,
                              .key_levels = {{pairs, kTypeBits}, {kTypesThere, 0}}};
  schema[kCallForwarding] = {.name = "call_forwarding",
                             .payload_bytes = sizeof(CallForwarding),
                             .initial_records = circles * kForwardingsThere,
                             .insert_capacity = circles * kForwardingPlaces,
                             .capacity_setting = "workload.subscribers_per_worker",
                             .key_levels = {{circles, kForwardingBits}, {kForwardingsThere, 0}},
                             .erased = true};
  for (std::uint8_t table = 0; table < kTables; ++table) {
    schema[table].load = [this, table](txn::PartitionId partition, txn::Key key,
                                       std::span<std::byte> payload) {
      load(static_cast<Table>(table), partition, key, payload);
    };
  }
  return schema;
}

void Database::load(Table table, txn::PartitionId partition, txn::Key key,
                    std::span<std::byte> payload) const {
  const KeyText text(table, partition, key);
  const std::uint64_t first_subscriber = partition * per_node_;
  switch (table) {
    case kSubscriber:
      return load_subscriber(text, first_subscriber + key, as<Subscriber>(payload));
    case kSubscriberByNumber:
      as<SubscriberByNumber>(payload).subscriber = first_subscriber + key;
      return;
    case kAccessInfo:
      return load_access_info(text, as<AccessInfo>(payload));
    case kSpecialFacility:
      return load_special_facility(text, as<SpecialFacility>(payload));
    case kCallForwarding:
      return load_call_forwarding(text, start_of_key(key), as<CallForwarding>(payload));
    case kTables:
      return;
  }
}

}  // namespace verbena::workloads::tatp
