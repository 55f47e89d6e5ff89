// States of a record, event by event.
#include "txn/check/registers/register_search.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

namespace verbena::txn {
namespace {

constexpr std::size_t kNoSlot = std::numeric_limits<std::size_t>::max();

/// So many states at most are compared, each with each.
constexpr std::size_t kMostCompared = 512;

/// So many operations in flight are named at most.
constexpr std::size_t kNamed = 6;

}  // namespace

RegisterSearch::Result RegisterSearch::run(const ValueZones& zones, std::size_t most_states) {
  most_states_ = most_states;
  result_ = {};
  given_up_ = false;
  list_events(zones);
  kinds_.assign(zones.shared() + 1, {});
  reads_ = {};
  writes_ = {};
  slots_.clear();
  free_slots_ = {};
  slot_of_.assign(blocks_.size(), kNoSlot);
  states_.assign(1, {.done = {}, .free = {}, .value = zones.initial()});
  for (const Event& event : events_) {
    if (event.happening == Happening::kBegins) {
      begin(event.block);
    } else if (event.happening == Happening::kEnds) {
      end(event.block);
    } else {
      hold(*blocks_[event.block]);
    }
    if (!result_.ordered) break;
  }
  return std::move(result_);
}

// At one moment, what can happen begins before anything has to have happened.
void RegisterSearch::list_events(const ValueZones& zones) {
  blocks_.clear();
  events_.clear();
  for (const Block& block : zones.points()) {
    const auto number = static_cast<std::uint32_t>(blocks_.size());
    events_.push_back({block.last_begin, Happening::kBegins, number});
    events_.push_back({block.first_end, Happening::kEnds, number});
    blocks_.push_back(&block);
  }
  for (const Block& block : zones.forward()) {
    events_.push_back(
        {block.first_end, Happening::kHolds, static_cast<std::uint32_t>(blocks_.size())});
    blocks_.push_back(&block);
  }
  std::ranges::sort(events_, {}, [](const Event& event) {
    return std::tuple(event.moment, event.happening, event.block);
  });
}

SlotSet* RegisterSearch::kind_of(const Block& block) {
  const auto kinds_of = [this](Number value) -> Kinds& {
    return kinds_[static_cast<std::size_t>(value) + 1];
  };
  if (block.reads) return &kinds_of(block.entry).reads;
  if (block.entry != ValueZones::kNone) return &kinds_of(block.entry).steps;
  return &kinds_of(block.exit).writes;
}

void RegisterSearch::begin(std::uint32_t number) {
  const Block& block = *blocks_[number];
  Slot slot = slots_.size();
  if (free_slots_.empty()) {
    slots_.push_back(&block);
  } else {
    slot = free_slots_.top();
    free_slots_.pop();
    slots_[slot] = &block;
  }
  slot_of_[number] = slot;
  if (slot >= SlotSet::kSlots) given_up_ = true;
  if (given_up_) return;
  kind_of(block)->add(slot);
  if (block.reads) reads_.add(slot);
  if (!block.reads && block.entry == ValueZones::kNone) writes_.add(slot);
  for (State& state : states_) {
    if (block.possible) state.free.add(slot);
    settle(state);
  }
}

// Every state has had it happen by now.
void RegisterSearch::end(std::uint32_t number) {
  const Block& block = *blocks_[number];
  const Slot slot = std::exchange(slot_of_[number], kNoSlot);
  if (!given_up_) {
    next_states_.clear();
    for (const State& state : states_) {
      if (state.done.has(slot)) {
        next_states_.push_back(state);
      } else {
        expand(state, block, slot);
      }
    }
    if (next_states_.empty() && !given_up_) return fail(block);
  }
  slots_[slot] = nullptr;
  free_slots_.push(slot);
  if (given_up_) {
    result_.unchecked += block.possible ? 0 : 1;
    return;
  }
  kind_of(block)->remove(slot);
  reads_.remove(slot);
  writes_.remove(slot);
  for (State& state : next_states_) {
    state.done.remove(slot);
    state.free.remove(slot);
  }
  keep_best();
}

// Makes states_ of next_states_, without those of which another allows all that they do.
void RegisterSearch::keep_best() {
  states_.clear();
  std::ranges::sort(next_states_);
  next_states_.erase(std::ranges::unique(next_states_).begin(), next_states_.end());
  if (next_states_.size() > kMostCompared) return states_.swap(next_states_);
  std::ranges::stable_sort(next_states_, std::greater<>(), [this](const State& state) {
    return (state.free | (state.done & reads_)).size();
  });
  for (const State& state : next_states_) {
    const bool worse =
        std::ranges::any_of(states_, [&](const State& other) { return is_better(other, state); });
    if (!worse) states_.push_back(state);
  }
}

// More reads have happened, and of the rest more is free.
bool RegisterSearch::is_better(const State& one, const State& other) const {
  if (one.value != other.value || !((other.done & reads_) - one.done).empty()) return false;
  const SlotSet differ = (one.done - other.done) | (other.done - one.done) | other.free;
  return (differ - one.free - reads_).empty();
}

void RegisterSearch::hold(const Block& block) {
  if (given_up_) return resume(block);
  next_states_.clear();
  for (const State& state : states_) expand(state, block, kNoSlot);
  if (given_up_) return resume(block);
  if (next_states_.empty()) return fail(block);
  keep_best();
}

// Adds to next_states_ all states in which the forced block has happened; without a slot it is the
// last to happen in them. What is free has happened already, or happens now, so that it leaves its
// value to who begins later.
void RegisterSearch::expand(const State& from, const Block& forced, Slot forced_slot) {
  if (given_up_) return;
  seen_.clear();
  to_expand_.clear();
  try_next(from, false);
  while (!to_expand_.empty()) {
    const auto [state, added] = to_expand_.back();
    to_expand_.pop_back();
    const bool done = forced_slot != kNoSlot && state.done.has(forced_slot);
    const bool free = forced_slot != kNoSlot && state.free.has(forced_slot);
    if (done || (free && !added)) next_states_.push_back(state);
    if (done || (free && forced.exit == ValueZones::kNone)) continue;
    if (!forced.reads && (forced.entry == ValueZones::kNone || forced.entry == state.value)) {
      next_states_.push_back(after(state, forced, forced_slot));
    }
    choose(state, forced, forced_slot, free);
    given_up_ = seen_.size() + next_states_.size() > most_states_;
    if (given_up_) return;
  }
}

void RegisterSearch::try_next(const State& state, bool added) {
  if (seen_.insert(state).second) to_expand_.emplace_back(state, added);
}

// Tries what may happen next, as far as anything comes of it.
void RegisterSearch::choose(const State& state, const Block& forced, Slot forced_slot, bool added) {
  struct Choice {
    Number exit;
    bool free;
    Slot slot;
  };
  std::vector<Choice> choices;
  const auto consider = [&](Slot slot) {
    if (slot == forced_slot) return;
    const bool free = state.free.has(slot);
    const Number exit = slots_[slot]->exit;
    if (free && exit == ValueZones::kNone) return;
    const auto same = std::ranges::find_if(
        choices, [&](const Choice& choice) { return choice.exit == exit && choice.free == free; });
    if (same == choices.end()) {
      choices.push_back({exit, free, slot});
    } else if (slots_[slot]->first_end < slots_[same->slot]->first_end) {
      same->slot = slot;
    }
  };
  const auto take = [&] {
    for (const Choice& choice : choices) {
      try_next(after(state, *slots_[choice.slot], choice.slot), added);
    }
    choices.clear();
  };
  if (state.value != ValueZones::kNone) {
    (kinds(state.value).steps - state.done).visit(consider);
    take();
  }
  for (Number value = 0; value + 1 < static_cast<Number>(kinds_.size()); ++value) {
    // To leave what is there already hides other writes.
    if (value == state.value && (writes_ - state.done - state.free).empty()) continue;
    if (!is_needed(state, value, forced)) continue;
    (kinds(value).writes - state.done).visit(consider);
    take();
  }
}

bool RegisterSearch::is_needed(const State& state, Number value, const Block& forced) const {
  return value == forced.entry || !(kinds(value).reads - state.done).empty() ||
         !(kinds(value).steps - state.done).empty();
}

RegisterSearch::State RegisterSearch::after(const State& state, const Block& block,
                                            Slot slot) const {
  State next = state;
  next.value = block.exit;
  if (slot != kNoSlot) {
    next.done.add(slot);
    next.free.remove(slot);
  }
  if (block.entry == ValueZones::kNone) next.free |= writes_ - next.done;
  settle(next);
  return next;
}

// Lets happen what changes nothing.
void RegisterSearch::settle(State& state) const {
  const Kinds& here = kinds(state.value);
  state.done |= here.reads;
  state.free |= here.writes - state.done;
}

void RegisterSearch::fail(const Block& block) {
  result_.ordered = false;
  const auto name = [this](const Block& one) {
    for (const RegisterOperation* operation : {one.ends_first, one.begins_last}) {
      if (operation == nullptr || std::ranges::count(result_.operations, operation) > 0) continue;
      result_.operations.push_back(operation);
    }
  };
  name(block);
  for (const Block* other : slots_) {
    if (other == nullptr || other->possible || result_.operations.size() >= kNamed) continue;
    name(*other);
  }
}

// All that is in flight may have happened or not.
void RegisterSearch::resume(const Block& block) {
  ++result_.unchecked;
  const auto last = std::ranges::find_if(slots_.rbegin(), slots_.rend(),
                                         [](const Block* other) { return other != nullptr; });
  if (block.entry != ValueZones::kNone || slots_.rend() - last > std::ptrdiff_t{SlotSet::kSlots})
    return;
  given_up_ = false;
  kinds_.assign(kinds_.size(), {});
  reads_ = {};
  writes_ = {};
  State state{.done = {}, .free = {}, .value = block.exit};
  for (Slot slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot] == nullptr) continue;
    kind_of(*slots_[slot])->add(slot);
    if (slots_[slot]->reads) {
      reads_.add(slot);
      state.done.add(slot);
      continue;
    }
    if (slots_[slot]->entry == ValueZones::kNone) writes_.add(slot);
    state.free.add(slot);
  }
  states_.assign(1, state);
}

}  // namespace verbena::txn
