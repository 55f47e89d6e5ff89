// Layout of TATP's database and initial content of its records.
#pragma once

#include <cstdint>
#include <span>

#include "rdma/base/types.h"
#include "txn/schema/table.h"
#include "workloads/tatp/options.h"

namespace verbena::workloads::tatp {

/// The four tables, and the index of subscribers by their telephone numbers.
enum Table : txn::TableId {
  kSubscriber,
  kSubscriberByNumber,
  kAccessInfo,
  kSpecialFacility,
  kCallForwarding,
  kTables
};

inline constexpr std::uint32_t kTypes = 4;       ///< of access infos and of special facilities
inline constexpr std::uint32_t kStartTimes = 3;  ///< per special facility: 0, 8 and 16 hours
inline constexpr std::uint32_t kHoursPerStart = 8;

struct Subscriber {
  std::uint32_t msc_location;
  std::uint32_t vlr_location;
  char number[15];
  std::uint8_t hexadecimals[5];  ///< ten values of four bits
  std::uint8_t bytes[10];
  std::uint8_t bits[2];  ///< ten bits
};

struct SubscriberByNumber {
  std::uint64_t subscriber;  ///< counted over the cluster
};

struct AccessInfo {
  std::uint8_t data_1;
  std::uint8_t data_2;
  char data_3[3];
  char data_4[5];
};

struct SpecialFacility {
  bool is_active;
  std::uint8_t error_control;
  std::uint8_t data_a;
  char data_b[5];
};

struct CallForwarding {
  std::uint8_t end_time;  ///< in hours
  char number[15];
};

static_assert(sizeof(Subscriber) == 40 && sizeof(CallForwarding) == 16);

/// The shape of the database. All records of a subscriber are in the subscriber's partition.
/// Subscribers, types and start times count from 0.
///
/// Initial records follow from keys alone, since a table's initial keys must be all combinations of
/// some digits. The eight possible access infos of two neighbouring subscribers are put on a
/// circle, rotated by a hash of the pair, and the first five exist. So every subscriber has one to
/// four, each number equally often, as the standard demands. Special facilities are chosen
/// likewise. Of the 30 possible call forwardings of the ten facilities of four neighbours, the
/// first 15 of a circle exist, so each facility has none to three, about equally often.
class Database {
 public:
  /// Throws ConfigurationError for options that do not fit.
  Database(std::uint32_t nodes, std::uint32_t workers, const TatpOptions& options);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// All tables, by Table. Refers to this object.
  txn::Schema schema() const;

  std::uint64_t subscribers() const { return nodes_ * per_node_; }

  txn::PartitionId partition(std::uint64_t subscriber) const {
    return static_cast<txn::PartitionId>(subscriber / per_node_);
  }

  // Keys within the partition of the subscriber.
  txn::Key subscriber_key(std::uint64_t subscriber) const { return subscriber % per_node_; }
  txn::Key access_info_key(std::uint64_t subscriber, std::uint32_t type) const {
    return type_key(kAccessInfo, subscriber_key(subscriber), type);
  }
  txn::Key special_facility_key(std::uint64_t subscriber, std::uint32_t type) const {
    return type_key(kSpecialFacility, subscriber_key(subscriber), type);
  }
  /// `start` is one of kStartTimes.
  txn::Key call_forwarding_key(std::uint64_t subscriber, std::uint32_t type,
                               std::uint32_t start) const;

  /// Writes the telephone number of a subscriber.
  static void write_number(std::uint64_t subscriber, std::span<char, 15> text);

 private:
  static txn::Key type_key(Table table, txn::Key subscriber, std::uint32_t type);
  static std::uint32_t start_of_key(txn::Key call_forwarding);
  void load(Table table, txn::PartitionId partition, txn::Key key,
            std::span<std::byte> payload) const;

  std::uint64_t nodes_;
  std::uint64_t per_node_;
};

}  // namespace verbena::workloads::tatp
