// The replay of what clients saw and the check of the versions that a system reports come to the
// same verdicts about random executions, right ones and wrong ones; but that the replay also says
// of an attempt that it is not where its system says, which others cannot know.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/random.h"
#include "tests/txn/check/client_histories.h"
#include "tests/version_check/violation.h"
#include "txn/check/history.h"
#include "txn/check/replay/serializability_check.h"

namespace verbena::testing {
namespace {

using txn::Key;

// Faults of an execution, each with some chance. With the last three it validates no better than
// with kNoValidation, which else would find them out.
enum class Fault : std::uint8_t {
  kNone,
  kNoLock,
  kNoValidation,
  kDirtyRead,
  kStaleRead,
  kUnlocksEarly
};
constexpr std::array kFaults = {Fault::kNone,      Fault::kNoLock,    Fault::kNoValidation,
                                Fault::kDirtyRead, Fault::kStaleRead, Fault::kUnlocksEarly};

// Optimistic concurrency control on a few records, one step of one client at a time.
class Execution {
 public:
  Execution(Fault fault, std::uint64_t seed) : fault_(fault), random_(seed) {
    for (std::uint16_t i = 0; i < kClients; ++i) clients_[i].id.fiber = i;
  }

  void run() {
    for (std::uint32_t steps = 0; steps < kSteps; ++steps) step(clients_[random_.below(kClients)]);
    // Transactions in flight come to their end.
    ending_ = true;
    for (Client& client : clients_) {
      while (client.phase != Phase::kIdle) step(client);
    }
  }

  std::optional<txn::Violation> by_versions() const {
    return txn::strict_serializability_violation(versions_);
  }

  /// In one piece, or in pieces as a run gives them.
  std::optional<txn::Anomaly> by_values(bool in_parts) {
    txn::SerializabilityCheck check(history_schema(), txn::Isolation::kStrictSerializability, 8);
    for (auto& [history, now] : parts_) {
      check.add(history);
      if (in_parts) check.replay(now);
    }
    check.finish();
    std::vector<txn::SerializabilityCheck::FinalValue> found;
    for (Key key = 0; key < kKeys; ++key) {
      found.push_back(
          {.record = {.table = 0, .partition = 0, .key = key}, .value = records_[key].value});
    }
    check.compare_final(found);
    return check.anomaly();
  }

 private:
  static constexpr std::uint32_t kClients = 4;
  static constexpr std::uint32_t kKeys = 3;
  static constexpr std::uint32_t kSteps = 120;

  enum class Phase : std::uint8_t { kIdle, kReading, kLocking, kValidating, kWriting };

  struct Record {
    txn::ValueDigest value = loaded_value();
    std::uint64_t version = 1;
    std::uint64_t versions = 1;  // given so far
    int locked_by = -1;
    txn::ValueDigest before = loaded_value();
    std::uint64_t version_before = 1;
  };
  struct Access {
    Key key;
    bool writes;
    txn::ValueDigest read = 0;
    std::uint64_t version = 0;
    txn::ValueDigest written = 0;
    std::uint64_t new_version = 0;
    bool dirty = false;
  };
  struct Client {
    txn::ClientId id;
    Phase phase = Phase::kIdle;
    std::size_t next = 0;
    std::vector<Access> accesses;
    std::uint64_t sequence = 0;
    txn::Moment began = txn::kAfterAll;
    txn::Moment placed = 0;
    bool rolls_back = false;
  };

  bool strikes() { return random_.below(10) < 3; }

  void step(Client& client) {
    switch (client.phase) {
      case Phase::kIdle:
        return begin(client);
      case Phase::kReading:
        return read(client);
      case Phase::kLocking:
        return lock(client);
      case Phase::kValidating:
        return validate(client);
      case Phase::kWriting:
        return write(client);
    }
  }

  void begin(Client& client) {
    if (ending_) return;
    client.accesses.clear();
    for (Key key = 0; key < kKeys; ++key) {
      if (random_.below(2) == 0)
        client.accesses.push_back({.key = key, .writes = random_.below(2) == 0});
    }
    if (client.accesses.empty()) return;
    if (random_.below(2) == 0) std::ranges::reverse(client.accesses);
    client.began = ++now_;
    client.placed = 0;
    client.rolls_back = random_.below(8) == 0;
    ++client.sequence;
    client.next = 0;
    client.phase = Phase::kReading;
  }

  void read(Client& client) {
    Access& access = client.accesses[client.next];
    const Record& record = records_[access.key];
    const bool stale = fault_ == Fault::kStaleRead && strikes();
    access.read = stale ? record.before : record.value;
    access.version = stale ? record.version_before : record.version;
    if (++client.next < client.accesses.size()) return;
    client.next = 0;
    client.phase = Phase::kLocking;
  }

  void lock(Client& client) {
    for (; client.next < client.accesses.size(); ++client.next) {
      Access& access = client.accesses[client.next];
      Record& record = records_[access.key];
      if (!access.writes || client.rolls_back) continue;
      if (fault_ == Fault::kNoLock && strikes()) continue;
      if (record.locked_by >= 0 || record.version != access.version) return end(client, false);
      record.locked_by = client.id.fiber;
      ++client.next;
      return;
    }
    client.placed = ++now_;
    client.next = 0;
    client.phase = Phase::kValidating;
    // Others may read what is not committed yet.
    if (fault_ != Fault::kDirtyRead || !strikes()) return;
    for (Access& access : client.accesses) {
      if (access.writes && !client.rolls_back) install(client, access);
    }
  }

  void validate(Client& client) {
    for (; client.next < client.accesses.size(); ++client.next) {
      const Access& access = client.accesses[client.next];
      const Record& record = records_[access.key];
      if (access.writes && !client.rolls_back) continue;
      if (fault_ != Fault::kNone && fault_ != Fault::kNoLock && strikes()) continue;
      if (record.locked_by >= 0 || record.version != access.version) return end(client, false);
      ++client.next;
      return;
    }
    if (client.rolls_back) return end(client, false, txn::Outcome::kRolledBack);
    client.next = 0;
    client.phase = Phase::kWriting;
    if (fault_ == Fault::kUnlocksEarly && strikes()) unlock(client);
  }

  void write(Client& client) {
    for (; client.next < client.accesses.size(); ++client.next) {
      Access& access = client.accesses[client.next];
      if (!access.writes) continue;
      if (!access.dirty) install(client, access);
      ++client.next;
      return;
    }
    end(client, true);
  }

  void install(const Client&, Access& access) {
    Record& record = records_[access.key];
    record.before = record.value;
    record.version_before = record.version;
    access.written = ++values_;
    access.new_version = ++record.versions;
    access.dirty = true;
    record.value = access.written;
    record.version = access.new_version;
  }

  void unlock(Client& client) {
    for (const Access& access : client.accesses) {
      Record& record = records_[access.key];
      if (record.locked_by == client.id.fiber) record.locked_by = -1;
    }
  }

  void end(Client& client, bool committed, txn::Outcome otherwise = txn::Outcome::kAborted) {
    // Takes back what was installed too early.
    for (Access& access : client.accesses) {
      Record& record = records_[access.key];
      if (committed || !access.dirty || record.value != access.written) continue;
      record.value = access.read;
      record.version = access.version;
    }
    unlock(client);
    ++now_;
    record_versions(client, committed || otherwise == txn::Outcome::kRolledBack, committed);
    record_values(client, committed ? txn::Outcome::kCommitted : otherwise);
    client.phase = Phase::kIdle;
    client.began = txn::kAfterAll;
    txn::Moment now = now_ + 1;
    for (const Client& other : clients_) now = std::min(now, other.began);
    parts_.back().second = now;
  }

  // A client that rolled back has read as one that committed without writing.
  void record_versions(const Client& client, bool stands, bool writes) {
    std::vector<txn::HistoryAccess> accesses;
    for (const Access& access : client.accesses) {
      if (access.version == 0) continue;
      accesses.push_back({.record = {.table = 0, .partition = 0, .key = access.key},
                          .read_version = access.version,
                          .written_version = writes || !stands ? access.new_version : 0});
    }
    versions_.add({.owner = {.fiber = client.id.fiber},
                   .sequence = client.sequence,
                   .committed = stands,
                   .begin = Nanoseconds(static_cast<std::int64_t>(client.began)),
                   .end = Nanoseconds(static_cast<std::int64_t>(now_))},
                  accesses);
  }

  void record_values(const Client& client, txn::Outcome outcome) {
    AttemptBuilder attempt(client.id.fiber);
    attempt.during(client.began, now_).placed(client.placed).outcome(outcome);
    for (const Access& access : client.accesses) {
      if (access.version == 0) continue;
      if (access.dirty) {
        attempt.write(access.key, access.read, access.written);
      } else {
        attempt.read(access.key, access.read);
      }
    }
    parts_.emplace_back();
    attempt.add_to(parts_.back().first);
  }

  const Fault fault_;
  Random random_;
  bool ending_ = false;
  txn::Moment now_ = 0;
  txn::ValueDigest values_ = 1000;
  std::array<Record, kKeys> records_;
  std::array<Client, kClients> clients_;
  txn::History versions_;
  std::vector<std::pair<txn::ClientHistory, txn::Moment>> parts_;
};

TEST(Agreement, OfTwoChecksOnRandomExecutions) {
  std::map<std::string, int> names;
  for (const Fault fault : kFaults) {
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
      Execution execution(fault, seed);
      execution.run();
      const auto by_versions = execution.by_versions();
      for (const bool in_parts : {false, true}) {
        const auto by_values = execution.by_values(in_parts);
        const bool agree = by_values && by_values->name == "out of place"
                               ? fault != Fault::kNone
                               : by_versions.has_value() == by_values.has_value();
        ASSERT_TRUE(agree) << "fault " << static_cast<int>(fault) << ", seed " << seed
                           << ", in parts " << in_parts << "\n"
                           << txn::violation_text(by_versions) << "\n"
                           << txn::anomaly_text(by_values);
        if (by_values) ++names[by_values->name];
      }
      wrong += by_versions.has_value() ? 1 : 0;
    }
    if (fault == Fault::kNone) {
      EXPECT_EQ(wrong, 0);
    } else {
      EXPECT_GT(wrong, 20) << "fault " << static_cast<int>(fault);
    }
  }
  for (const char* name : {"G1a", "G-single", "G2", "stale read"}) {
    EXPECT_GT(names[name], 0) << name;
  }
}

}  // namespace
}  // namespace verbena::testing
