// A run whose settings are drawn one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "experiments/hunt/draw/ground.h"
#include "experiments/hunt/draw/hunted_run.h"
#include "rdma/base/random.h"
#include "txn/system_info.h"

namespace verbena::experiments {

/// A run in the making, of a system that is already chosen. Settings that the user gave for all
/// runs are drawn too, so that the draws of others do not depend on them, but the drawn values are
/// dropped.
class DrawnRun {
 public:
  using Values = std::initializer_list<const char*>;

  /// Begins with the settings for all runs. `ground` must outlive this object.
  DrawnRun(std::uint64_t seed, std::uint64_t draw, const HuntGround& ground, std::string system);

  const HuntGround& ground() const { return ground_; }
  const std::string& system() const { return system_; }
  const txn::SystemInfo& info() const { return info_; }

  /// The current value of a setting; empty if it has none.
  std::string value_of(const std::string& key) const { return run_.value_of(key); }
  bool has(const std::string& key) const { return !value_of(key).empty(); }

  /// False for a setting that the user gave for all runs.
  bool may_set(const std::string& key) const;

  /// Moves the drawn run out.
  HuntedRun take() { return std::move(run_); }

  Random& random() { return random_; }

  bool chance(std::uint32_t percent) { return random_.below(100) < percent; }

  template <typename List>
  auto one_of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(random_.below(std::size(list))));
  }

  /// Sets a value, unless the user gave one for all runs. `simpler` values are tried when the run
  /// has failed.
  void set(const std::string& key, const std::string& value, std::vector<std::string> simpler);

  /// Sets one of `values` in `percent` percent of the runs. Shrinking may leave the setting out.
  void sometimes(std::uint32_t percent, const char* key, Values values) {
    if (chance(percent)) set(key, one_of(values), {""});
  }

  /// Draws a number from `least` to `most`. Smaller numbers are simpler; `simplest` is the
  /// simplest.
  void number(const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t simplest);
  void number(const char* key, std::uint64_t least, std::uint64_t most) {
    number(key, least, most, least);
  }

  /// Sets the time for which transactions are tried again and nodes wait for each other.
  void be_patient(const std::string& time);

  /// Asks for cores that contend for a few records (see draw_workload).
  void be_a_duel() { duel_ = true; }
  bool is_a_duel() const { return duel_; }

 private:
  const HuntGround& ground_;
  const std::string system_;
  const txn::SystemInfo info_;
  Random random_;
  HuntedRun run_;
  bool duel_ = false;
};

}  // namespace verbena::experiments
