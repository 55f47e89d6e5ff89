// A run whose settings are drawn, one after the other.
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

/// A run in the making, of a system that was chosen before, with what drawing settings has in
/// common, whatever they are. Settings that were given for all runs are drawn like others, so that
/// these stay what they are, but not changed.
class DrawnRun {
 public:
  using Values = std::initializer_list<const char*>;

  /// `ground` has to outlive it. Begins with what is set for all runs.
  DrawnRun(std::uint64_t seed, std::uint64_t draw, const HuntGround& ground, std::string system);

  const HuntGround& ground() const { return ground_; }
  const std::string& system() const { return system_; }
  const txn::SystemInfo& info() const { return info_; }

  /// The value of a setting so far; empty if it has none.
  std::string value_of(const std::string& key) const { return run_.value_of(key); }
  bool has(const std::string& key) const { return !value_of(key).empty(); }

  /// False for a setting that was given for all runs.
  bool may_set(const std::string& key) const;

  /// The run, as it has been drawn.
  HuntedRun take() { return std::move(run_); }

  Random& random() { return random_; }

  bool chance(std::uint32_t percent) { return random_.below(100) < percent; }

  template <typename List>
  auto one_of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(random_.below(std::size(list))));
  }

  /// Unless it was set for all runs. `simpler` values are tried when the run has failed.
  void set(const std::string& key, const std::string& value, std::vector<std::string> simpler);

  /// In so many percent of the runs one of the values; it can be left out.
  void sometimes(std::uint32_t percent, const char* key, Values values) {
    if (chance(percent)) set(key, one_of(values), {""});
  }

  /// Smaller numbers are simpler, `simplest` most of all.
  void number(const char* key, std::uint64_t least, std::uint64_t most, std::uint64_t simplest);
  void number(const char* key, std::uint64_t least, std::uint64_t most) {
    number(key, least, most, least);
  }

  /// For how long transactions may be tried again, and nodes wait for each other.
  void be_patient(const std::string& time);

  /// Cores are to be in each other's way on a few records (see draw_workload).
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
