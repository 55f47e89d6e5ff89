// Checks of what snapshots hold, against what had been committed and told, and each other.
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "txn/check/replay/snapshot_check.h"

namespace verbena::txn {
namespace {

bool holds(std::span<const std::uint32_t> more, std::span<const std::uint32_t> less) {
  for (std::size_t slot = 0; slot < less.size(); ++slot) {
    if (more[slot] < less[slot]) return false;
  }
  return true;
}

}  // namespace

// Against what others had committed, and against the client's own snapshots and commits before.
void SnapshotCheck::check_snapshot(const ClientHistory& history, const ClientAttempt& attempt,
                                   std::span<const std::uint32_t> counts) {
  const std::string who = attempt_text(attempt);
  for (std::uint32_t slot = 0; slot < counts.size(); ++slot) {
    if (counts[slot] <= placed_[slot].end()) continue;
    return found({.name = "early snapshot",
                  .what = who + " had a snapshot with " + stamp_text({slot, counts[slot]}) +
                          ", which had not been committed",
                  .attempts = {whole(history, attempt)},
                  .edges = {}});
  }
  Client& client = clients_[attempt.client];
  if (own_commits_ && !visible(client.stamp, counts)) {
    return found(
        {.name = "lost session",
         .what = who + " had a snapshot without its client's own " + stamp_text(client.stamp),
         .attempts = {whole(history, attempt)},
         .edges = {}});
  }
  if (!client.latest.empty() && !holds(counts, client.latest)) {
    return found({.name = "backward snapshot",
                  .what = who + " had a snapshot without what its client's snapshot before held",
                  .attempts = {whole(history, attempt)},
                  .edges = {}});
  }
  client.latest.assign(counts.begin(), counts.end());
}

// Among different snapshots in the order of their sums, each holds those before: it is enough to
// look at the neighbours.
void SnapshotCheck::check_comparable(const ClientHistory& history, const ClientAttempt& attempt,
                                     std::span<const std::uint32_t> counts) {
  const std::uint64_t sum = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const auto next = snapshots_.lower_bound(sum);
  const auto report = [&](const std::pair<Counts, Who>& other) {
    Anomaly anomaly{
        .name = "long fork",
        .what = attempt_text(attempt) + " had a snapshot with and without what another one holds",
        .attempts = {whole(history, attempt)},
        .edges = {}};
    if (auto attempt_of_other = find(other.second)) {
      anomaly.attempts.push_back(std::move(*attempt_of_other));
    }
    found(std::move(anomaly));
  };
  if (next != snapshots_.end()) {
    if (!holds(next->second.first, counts)) return report(next->second);
    if (next->first == sum) return;
  }
  if (next != snapshots_.begin() && !holds(counts, std::prev(next)->second.first)) {
    return report(std::prev(next)->second);
  }
  snapshots_.emplace_hint(next, sum,
                          std::pair(Counts(counts.begin(), counts.end()),
                                    Who{.client = attempt.client, .sequence = attempt.sequence}));
}

// The snapshots of a client grow, so later ones hold what all of its latest hold.
void SnapshotCheck::find_floor() {
  floor_.clear();
  for (const auto& [id, client] : clients_) {
    if (client.latest.empty()) continue;
    if (floor_.empty()) {
      floor_ = client.latest;
    } else {
      std::ranges::transform(floor_, client.latest, floor_.begin(),
                             [](auto one, auto other) { return std::min(one, other); });
    }
  }
  std::erase_if(snapshots_, [this](const auto& snapshot) {
    return snapshot.second.first != floor_ && holds(floor_, snapshot.second.first);
  });
}

// When its client was told, by the order of moments, or by time.
std::uint64_t SnapshotCheck::told_at(const ClientAttempt& attempt) const {
  if (freshness_ == Freshness::kCurrent) return attempt.ended;
  return static_cast<std::uint64_t>(attempt.ended_at.count());
}

// Likewise.
std::uint64_t SnapshotCheck::asked_at(const ClientAttempt& attempt,
                                      const ClientSnapshot& snapshot) const {
  if (freshness_ == Freshness::kCurrent) return attempt.began;
  return static_cast<std::uint64_t>(snapshot.fetched_at.count());
}

void SnapshotCheck::note_told(const ClientAttempt& attempt, const Stamp& stamp) {
  if (freshness_ == Freshness::kNone || !attempt.told || stamp.slot == 0) return;
  told_[stamp.slot].add({.at = told_at(attempt),
                         .count = stamp.count,
                         .client = attempt.client,
                         .sequence = attempt.sequence});
}

void SnapshotCheck::check_freshness(const ClientHistory& history, const ClientAttempt& attempt,
                                    const ClientSnapshot& snapshot) {
  if (freshness_ == Freshness::kNone) return;
  const auto counts = history.counts(snapshot);
  const std::uint64_t asked = asked_at(attempt, snapshot);
  clients_[attempt.client].asked = asked;
  for (std::uint32_t slot = 0; slot < counts.size(); ++slot) {
    const ToldCommits::Told* told = told_[slot].latest_before(asked);
    if (told == nullptr || told->count <= counts[slot]) continue;
    Anomaly anomaly{.name = "transaction inversion",
                    .what = attempt_text(attempt) + " had a snapshot without " +
                            stamp_text({slot, told->count}) +
                            ", of which a client had been told before the snapshot was asked for",
                    .attempts = {whole(history, attempt)},
                    .edges = {}};
    if (auto other = find({.client = told->client, .sequence = told->sequence})) {
      anomaly.attempts.push_back(std::move(*other));
    }
    return found(std::move(anomaly));
  }
}

void SnapshotCheck::check_age(const ClientHistory& history, const ClientAttempt& attempt,
                              const ClientSnapshot& snapshot) {
  const Nanoseconds age = attempt.placed_at - snapshot.fetched_at;
  if (age <= snapshot.usable) return;
  found({.name = "expired snapshot",
         .what = attempt_text(attempt) + " committed by a snapshot that was " +
                 std::to_string(age.count()) + " ns old when it held what it wrote; allowed are " +
                 std::to_string(snapshot.usable.count()),
         .attempts = {whole(history, attempt)},
         .edges = {}});
}

// A client asks for each snapshot after the one before.
void SnapshotCheck::forget_told() {
  if (freshness_ == Freshness::kNone || clients_.empty()) return;
  std::uint64_t earliest = UINT64_MAX;
  for (const auto& [id, client] : clients_) earliest = std::min(earliest, client.asked);
  for (ToldCommits& told : told_) told.forget_before(earliest);
}

}  // namespace verbena::txn
