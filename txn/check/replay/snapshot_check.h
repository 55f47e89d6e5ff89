// Check that clients saw what is in the snapshots that their systems say they read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "txn/check/anomalies/history_checker.h"
#include "txn/check/anomalies/initial_values.h"
#include "txn/check/anomalies/scanned_keys.h"
#include "txn/check/replay/told_commits.h"
#include "txn/stamp.h"
#include "txn/system_info.h"
#include "txn/unbroken_run.h"

namespace verbena::txn {

/// Replays attempts against a model that keeps all values of each record with the stamps of their
/// writers, in the order in which writers held what they wrote (ClientAttempt::placed). Checks
/// committed attempts, and those that were rolled back by their clients:
///
/// - each value read is the latest one that the attempt's snapshot holds, so a commit is seen as a
///   whole or not at all;
/// - each value written replaces one that the snapshot holds: the first committer wins, and no
///   update is lost;
/// - no stamp is used again, those of a client in a slot count on, and no snapshot holds a commit
///   that its writer had not placed, or a stamp that nobody had;
/// - each snapshot of a client holds all that the one before held, and the client's own earlier
///   commits where that is promised;
/// - snapshots hold the commits that other clients had been told of, as far as that is promised
///   (Freshness);
/// - scans return the keys that the snapshot holds, and no others where that is promised;
/// - no attempt committed by a snapshot that was too old when the attempt held what it wrote;
/// - where snapshot isolation is promised, of two snapshots one holds all that the other holds.
///
/// So the system's own snapshots explain reads, and the values show that it tells them rightly.
/// Aborted attempts count only where others read what they wanted to write, and for their stamps,
/// if they had any. Values are forgotten once no client can come to read them, and attempts but for
/// the latest. Not thread-safe.
class SnapshotCheck final : public HistoryChecker {
 public:
  static constexpr std::size_t kRemembered = 1 << 16;

  static bool can_check(Isolation isolation);

  /// `system` tells the promises. Keeps at least `remembered` attempts. Throws std::logic_error if
  /// the system does not promise snapshots.
  SnapshotCheck(const Schema& schema, const SystemInfo& system,
                std::size_t remembered = kRemembered);

  void add(ClientHistory history) override;
  void replay(Moment now) override;
  void finish() override { replay(kAfterAll); }
  void compare_final(std::span<const FinalValue> found) override;
  void visit_records(const std::function<void(const RecordName& record)>& visitor) const override;
  std::uint64_t replayed() const override { return replayed_; }
  const std::optional<Anomaly>& anomaly() const override { return anomaly_; }

 private:
  using Counts = std::vector<std::uint32_t>;  // counts of a snapshot, [slot]

  /// Name of an attempt, which may be forgotten meanwhile.
  struct Who {
    ClientId client;
    std::uint64_t sequence = 0;  // 0: the loading
  };
  struct Value {
    ValueDigest value = kAbsentValue;
    Stamp stamp;
    Who writer;
  };
  using Values = std::vector<Value>;  // the latest at the end
  struct Block {
    ClientHistory history;
    std::size_t waiting = 0;  // attempts that are still to be replayed
  };
  struct Waiting {
    Moment order;
    Block* block;
    std::uint32_t attempt;
  };
  struct Client {
    Counts latest;            // of its latest snapshot
    Stamp stamp;              // of its latest commit
    std::uint64_t asked = 0;  // when it asked for the latest, as Freshness has it
  };
  struct RecordHash {
    std::size_t operator()(const RecordName& record) const;
  };

  void replay_one(const ClientHistory& history, const ClientAttempt& attempt);

  // snapshot_check_counts.cc
  void check_snapshot(const ClientHistory& history, const ClientAttempt& attempt,
                      std::span<const std::uint32_t> counts);
  void check_comparable(const ClientHistory& history, const ClientAttempt& attempt,
                        std::span<const std::uint32_t> counts);
  void check_freshness(const ClientHistory& history, const ClientAttempt& attempt,
                       const ClientSnapshot& snapshot);
  void check_age(const ClientHistory& history, const ClientAttempt& attempt,
                 const ClientSnapshot& snapshot);
  std::uint64_t told_at(const ClientAttempt& attempt) const;
  std::uint64_t asked_at(const ClientAttempt& attempt, const ClientSnapshot& snapshot) const;
  void note_told(const ClientAttempt& attempt, const Stamp& stamp);
  void find_floor();
  void forget_told();

  void check_reads(const ClientHistory& history, const ClientAttempt& attempt,
                   std::span<const std::uint32_t> counts);
  void check_scans(const ClientHistory& history, const ClientAttempt& attempt,
                   std::span<const std::uint32_t> counts);
  void place(const ClientHistory& history, const ClientAttempt& attempt, const Stamp& stamp);
  void apply(const ClientHistory& history, const ClientAttempt& attempt,
             std::span<const std::uint32_t> counts, const Stamp& stamp);
  Values& values_of(const RecordName& record);
  static const Value& held(const Values& values, std::span<const std::uint32_t> counts);
  static bool forgotten(const Values& values, std::span<const std::uint32_t> counts) {
    return !visible(values.front().stamp, counts);
  }
  void trim(Values& values) const;
  void forget();

  void found(Anomaly anomaly);
  AnomalousAttempt whole(const ClientHistory& history, const ClientAttempt& attempt) const;
  std::optional<AnomalousAttempt> find(const Who& who) const;
  void misread(const ClientHistory& history, const ClientAttempt& attempt,
               const ClientAccess& access, std::span<const std::uint32_t> counts);

  const std::size_t most_remembered_;
  const bool comparable_;
  const bool own_commits_;
  const Freshness freshness_;
  const bool exact_scans_;
  InitialValues initial_;
  ScannedKeys scanned_;
  std::unordered_map<RecordName, Values, RecordHash> records_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t remembered_ = 0;  // attempts in blocks_
  std::vector<Waiting> waiting_;
  std::map<ClientId, Client> clients_;
  std::vector<UnbrokenRun> placed_;                            // of each slot, stamps
  std::vector<ToldCommits> told_;                              // likewise
  std::map<std::uint64_t, std::pair<Counts, Who>> snapshots_;  // different ones, by the sums of
                                                               // their counts
  Counts floor_;  // counts that all later snapshots hold
  std::uint64_t replayed_ = 0;
  std::optional<Anomaly> anomaly_;
};

}  // namespace verbena::txn
