// A search for an order of operations on values that were written more than once.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "txn/check/registers/register_operation.h"
#include "txn/check/registers/slot_set.h"
#include "txn/check/registers/value_zones.h"

namespace verbena::txn {

/// Goes through the blocks' times and keeps all states in which the record can be, each with the
/// blocks in flight that have happened in it (Lowe, Testing for linearizability). A block happens
/// only when another one needs it, or its time ends:
///
/// - a read happens as soon as its value is there;
/// - a write that needs no value before it is hidden for free by another such write: from then on
///   it may have happened or not, like one of unknown outcome;
/// - of blocks that replace and leave the same values, the one whose time ends first happens first.
///
/// Where there are too many states or blocks in flight, everything is taken as right up to the next
/// block that holds the record for some time and needs no value before it. Not thread-safe.
class RegisterSearch {
 public:
  static constexpr std::size_t kMostStates = 4096;

  struct Result {
    bool ordered = true;                               ///< some order may be right
    std::vector<const RegisterOperation*> operations;  ///< else: the first one without an order,
                                                       ///< and some that are in flight then
    std::uint64_t unchecked = 0;                       ///< blocks that were taken to be right
  };

  /// Searches for an order, with at most `most_states` states. The zones and their operations must
  /// outlive the call.
  Result run(const ValueZones& zones, std::size_t most_states = kMostStates);

 private:
  using Block = ValueZones::Block;
  using Number = ValueZones::Number;
  using Slot = std::size_t;

  enum class Happening : std::uint8_t { kBegins, kEnds, kHolds };
  struct Event {
    Moment moment;
    Happening happening;
    std::uint32_t block;
  };
  struct State {
    SlotSet done;  // blocks that have happened
    SlotSet free;  // blocks that may have happened or not
    Number value;
    auto operator<=>(const State&) const = default;
  };
  struct Kinds {  // of blocks in flight, by a shared value
    SlotSet reads;
    SlotSet steps;   // blocks that replace it
    SlotSet writes;  // blocks that leave it and need no value before
  };

  void list_events(const ValueZones& zones);
  void begin(std::uint32_t number);
  void end(std::uint32_t number);
  void hold(const Block& block);
  void keep_best();
  bool is_better(const State& one, const State& other) const;
  void expand(const State& from, const Block& forced, Slot forced_slot);
  void choose(const State& state, const Block& forced, Slot forced_slot, bool added);
  bool is_needed(const State& state, Number value, const Block& forced) const;
  void try_next(const State& state, bool added);
  State after(const State& state, const Block& block, Slot slot) const;
  void settle(State& state) const;
  SlotSet* kind_of(const Block& block);
  const Kinds& kinds(Number value) const { return kinds_[static_cast<std::size_t>(value) + 1]; }
  void fail(const Block& block);
  void resume(const Block& block);

  std::size_t most_states_ = kMostStates;
  std::vector<const Block*> blocks_;
  std::vector<Event> events_;
  std::vector<State> states_;
  std::vector<State> next_states_;
  std::set<State> seen_;
  std::vector<std::pair<State, bool>> to_expand_;  // and whether it, or one before, is added
  std::vector<Kinds> kinds_;         // by shared value + 1; the first are of other values
  SlotSet reads_;                    // all of them
  SlotSet writes_;                   // all blocks that need no value before
  std::vector<const Block*> slots_;  // null: nothing is in flight there
  std::vector<Slot> slot_of_;        // of blocks in flight
  std::priority_queue<Slot, std::vector<Slot>, std::greater<>> free_slots_;
  bool given_up_ = false;
  Result result_;
};

}  // namespace verbena::txn
