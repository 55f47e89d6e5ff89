// Taking back, or deciding in order.
#include "txn/prism_tx/attempt/resolution.h"

#include <algorithm>

#include "txn/prism_tx/records/slot.h"
#include "txn/prism_tx/records/slot_operations.h"

namespace verbena::txn::prism_tx {
namespace {

/// Between looks at what came before, the first of them; twice as long each time.
constexpr Nanoseconds kFirstPause = 2 * kMicrosecond;
constexpr Nanoseconds kLongestPause = 128 * kMicrosecond;

}  // namespace

void Resolution::resolve(std::span<const Access> accesses, Timestamp now) {
  open_.clear();
  for (const Access& access : accesses) {
    if (access.raised_from) open_.push_back({.access = &access});
  }
  for (Nanoseconds pause = kFirstPause; !open_.empty();
       pause = std::min(2 * pause, kLongestPause)) {
    if (takes_back()) undo_all(now);
    if (!open_.empty()) resolve_all(now);
    if (open_.empty()) break;
    client_.worker.core().reach("prism_tx: given up key waits for an earlier attempt");
    client_.count(Counter::kWaits);
    waits_for_ = open_.front().access;
    client_.worker.sleep_until(client_.worker.now() + pause);
  }
  waits_for_ = nullptr;
}

// A key that the dead had prepared is never decided, so attempts above it have to be taken back.
bool Resolution::takes_back() const {
  const AbortRule rule = client_.options.abort;
  return rule == AbortRule::kUndo || (rule == AbortRule::kEqual && client_.owners.any_dead());
}

// Also done with a key is who finds that a later attempt has committed, or that a client on top has
// died, without whom nobody can take anything back: one that had not taken it back when its last
// chain had ended.
void Resolution::undo_all(Timestamp now) {
  operations_.clear();
  for (const Open& open : open_) {
    const Access& access = *open.access;
    operations_.push_back(
        client_.chains.add(access.server, undo(*access.slot, now, *access.raised_from)));
  }
  client_.make_round_trip();
  std::vector<Open> rest;
  for (std::size_t n = 0; n < open_.size(); ++n) {
    if (client_.chains.done(operations_[n])) {
      client_.worker.core().reach("prism_tx: given up key is as before");
      client_.count(Counter::kUndone);
      continue;
    }
    const auto slot = client_.chains.value<Slot>(operations_[n]);
    if (slot.committed >= now) continue;
    if (open_[n].left == slot.written) {
      client_.worker.core().reach("prism_tx: given up key left to a dead client");
      continue;
    }
    rest.push_back({.access = open_[n].access, .left = slot.written});
  }
  open_ = std::move(rest);
  client_.chains.clear();
  for (Open& open : open_) {
    if (!client_.left_by_the_dead(open.access->server, open.left)) open.left = 0;
  }
}

void Resolution::resolve_all(Timestamp now) {
  const bool at_once = client_.options.abort == AbortRule::kGreater;
  operations_.clear();
  for (const Open& open : open_) {
    const Access& access = *open.access;
    operations_.push_back(client_.chains.add(
        access.server, at_once ? resolve_at_once(*access.slot, now)
                               : resolve_in_order(*access.slot, *access.raised_from, now)));
  }
  client_.make_round_trip();
  std::vector<Open> rest;
  for (std::size_t n = 0; n < open_.size(); ++n) {
    if (client_.chains.done(operations_[n])) {
      client_.worker.core().reach("prism_tx: given up key decided");
      client_.count(Counter::kResolved);
    } else if (client_.chains.value<Timestamp>(operations_[n]) < now) {
      rest.push_back(open_[n]);
    }
  }
  open_ = std::move(rest);
  client_.chains.clear();
}

}  // namespace verbena::txn::prism_tx
