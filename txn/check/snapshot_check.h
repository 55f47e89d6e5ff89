// Whether what clients saw was in the snapshots that their systems say they read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "txn/check/history_checker.h"
#include "txn/check/initial_values.h"
#include "txn/check/scanned_keys.h"
#include "txn/stamp.h"

namespace verbena::txn {

/// Replays attempts against a model that keeps of each record the values that it had, each with the
/// stamp of its writer, in the order in which writers held what they wrote
/// (ClientAttempt::placed). Of committed attempts, and of those that were rolled back by their
/// clients:
///
/// - what was read is the latest value that the attempt's snapshot holds, so all of what a commit
///   wrote is seen or nothing;
/// - what was written replaces a value that the snapshot holds: the first committer wins, and no
///   update is lost;
/// - the stamps that a client has of a slot count on, no other has the same, and no snapshot holds
///   a commit that its writer had not placed. Where a slot is one client's, commits are placed in
///   the order of their counts; where all have theirs of one counter, they need not be;
/// - a client's snapshots hold its own commits before them, and never less than the one before;
/// - where snapshot isolation is promised, of two snapshots one holds what the other holds.
/// Update
///   snapshot isolation does not promise it.
///
/// So reads are explained by what their system says of itself; that it says so rightly, the values
/// show. Aborted attempts count only for who read what they wanted to write. Values are forgotten
/// once no client can come to read them, and attempts but for the latest. Not thread-safe.
class SnapshotCheck final : public HistoryChecker {
 public:
  static constexpr std::size_t kRemembered = 1 << 16;

  static bool can_check(Isolation isolation);

  /// `remembered`: so many attempts at least are not forgotten.
  SnapshotCheck(const Schema& schema, Isolation isolation, std::size_t remembered = kRemembered);

  void add(ClientHistory history) override;
  void replay(Moment now) override;
  void finish() override { replay(kAfterAll); }
  void compare_final(std::span<const FinalValue> found) override;
  void visit_records(const std::function<void(const RecordName& record)>& visitor) const override;
  std::uint64_t replayed() const override { return replayed_; }
  const std::optional<Anomaly>& anomaly() const override { return anomaly_; }

 private:
  using Counts = std::vector<std::uint32_t>;  // of a snapshot, by slot

  /// An attempt, which may be forgotten meanwhile.
  struct Who {
    ClientId client;
    std::uint64_t sequence = 0;  // 0: what was loaded
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
    Counts latest;  // of its snapshots
    Stamp stamp;    // of its last commit
  };
  struct RecordHash {
    std::size_t operator()(const RecordName& record) const;
  };

  void replay_one(const ClientHistory& history, const ClientAttempt& attempt);
  void check_snapshot(const ClientHistory& history, const ClientAttempt& attempt,
                      std::span<const std::uint32_t> counts);
  void check_comparable(const ClientHistory& history, const ClientAttempt& attempt,
                        std::span<const std::uint32_t> counts);
  void check_reads(const ClientHistory& history, const ClientAttempt& attempt,
                   std::span<const std::uint32_t> counts);
  void check_scans(const ClientHistory& history, const ClientAttempt& attempt,
                   std::span<const std::uint32_t> counts);
  void apply(const ClientHistory& history, const ClientAttempt& attempt,
             std::span<const std::uint32_t> counts, const Stamp& stamp);
  bool take_stamp(Client& client, const Stamp& stamp);
  Values& values_of(const RecordName& record);
  static const Value& held(const Values& values, std::span<const std::uint32_t> counts);
  static bool forgotten(const Values& values, std::span<const std::uint32_t> counts) {
    return !visible(values.front().stamp, counts);
  }
  void trim(Values& values) const;
  void find_floor();
  void forget();

  void found(Anomaly anomaly);
  AnomalousAttempt whole(const ClientHistory& history, const ClientAttempt& attempt) const;
  std::optional<AnomalousAttempt> find(const Who& who) const;
  void misread(const ClientHistory& history, const ClientAttempt& attempt,
               const ClientAccess& access, std::span<const std::uint32_t> counts);

  const std::size_t most_remembered_;
  const bool comparable_;
  InitialValues initial_;
  ScannedKeys scanned_;
  std::unordered_map<RecordName, Values, RecordHash> records_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t remembered_ = 0;  // attempts in blocks_
  std::vector<Waiting> waiting_;
  std::map<ClientId, Client> clients_;
  Counts placed_;  // of each slot, its latest commit
  Counts shown_;   // of each slot, the commits that snapshots have held so far
  std::vector<std::set<std::uint32_t>> unshown_;               // of each slot, those placed besides
  std::map<std::uint64_t, std::pair<Counts, Who>> snapshots_;  // different ones, by their sums
  Counts floor_;                                               // what all later snapshots hold
  std::uint64_t replayed_ = 0;
  std::optional<Anomaly> anomaly_;
};

}  // namespace verbena::txn
