// The replay by timestamps and one that tries all outcomes of unknown attempts: the former never
// finds fault where one of them is right, and comes to the same verdict where all are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "rdma/base/random.h"
#include "tests/txn/check/client_histories.h"
#include "txn/check/replay/timestamp_check.h"

namespace verbena::testing {
namespace {

using txn::Outcome;
using txn::ValueDigest;

constexpr std::size_t kKeys = 3;
constexpr std::size_t kAttempts = 7;

struct Access {
  bool reads = false;
  bool writes = false;
  ValueDigest read = 0;
  ValueDigest written = 0;
};

struct Attempt {
  std::array<Access, kKeys> accesses;
  Outcome outcome = Outcome::kCommitted;

  bool unknown() const { return outcome == Outcome::kUnknown; }
};

// In the order of timestamps, and what records hold in the end.
struct Execution {
  std::vector<Attempt> attempts = std::vector<Attempt>(kAttempts);
  std::array<ValueDigest, kKeys> found{};
};

using Model = std::array<ValueDigest, kKeys>;

Model loaded() {
  Model model;
  model.fill(loaded_value());
  return model;
}

// The values that each record may hold in the end: of writes of unknown attempts any may be missing
// that no other replaced.
struct Finals {
  std::array<std::set<ValueDigest>, kKeys> may;

  Finals() {
    for (auto& values : may) values = {loaded_value()};
  }
  void write(std::size_t key, const Attempt& attempt) {
    if (!attempt.unknown()) may[key].clear();
    may[key].insert(attempt.accesses[key].written);
  }
};

// Few values, so that several write the same; most reads are right, if `outcomes` are.
class Drawn {
 public:
  Drawn(std::uint64_t seed, std::uint32_t unknown_percent) : random_(seed) {
    values_ = 2 + random_.below(30);
    Model model = loaded();
    Finals finals;
    for (Attempt& attempt : execution.attempts) {
      draw(attempt, unknown_percent, model);
      const bool happens =
          attempt.outcome == Outcome::kCommitted || (attempt.unknown() && random_.below(2) == 0);
      for (std::size_t key = 0; happens && key < kKeys; ++key) {
        if (!attempt.accesses[key].writes) continue;
        model[key] = attempt.accesses[key].written;
        finals.write(key, attempt);
      }
    }
    for (std::size_t key = 0; key < kKeys; ++key) {
      const auto& may = finals.may[key];
      execution.found[key] =
          *std::next(may.begin(), static_cast<std::ptrdiff_t>(random_.below(may.size())));
    }
    if (random_.below(2) == 0) spoil();
  }

  Execution execution;

 private:
  void draw(Attempt& attempt, std::uint32_t unknown_percent, const Model& model) {
    const std::uint64_t lot = random_.below(100);
    if (lot < unknown_percent) {
      attempt.outcome = Outcome::kUnknown;
    } else if (lot > 85) {
      attempt.outcome = Outcome::kRolledBack;
    }
    for (std::size_t key = 0; key < kKeys; ++key) {
      Access& access = attempt.accesses[key];
      access.reads = random_.below(2) == 0;
      access.writes = random_.below(2) == 0;
      access.read = model[key];
      access.written = value();
    }
  }

  ValueDigest value() {
    const std::uint64_t lot = random_.below(values_);
    return lot == 0 ? loaded_value() : 100 + lot;
  }

  void spoil() {
    const std::size_t key = random_.below(kKeys);
    Access& access = execution.attempts[random_.below(kAttempts)].accesses[key];
    (random_.below(4) == 0 ? execution.found[key] : access.read) = value();
  }

  Random random_;
  std::uint64_t values_ = 0;
};

// True if all fits when these of the unknown attempts have committed.
bool fits(const Execution& execution, std::uint32_t committed) {
  Model model = loaded();
  Finals finals;
  for (std::size_t i = 0; i < kAttempts; ++i) {
    const Attempt& attempt = execution.attempts[i];
    if (attempt.unknown() && (committed >> i & 1U) == 0) continue;
    for (std::size_t key = 0; key < kKeys; ++key) {
      const Access& access = attempt.accesses[key];
      if (access.reads && access.read != model[key]) return false;
    }
    for (std::size_t key = 0; key < kKeys; ++key) {
      if (!attempt.accesses[key].writes || attempt.outcome == Outcome::kRolledBack) continue;
      model[key] = attempt.accesses[key].written;
      finals.write(key, attempt);
    }
  }
  for (std::size_t key = 0; key < kKeys; ++key) {
    if (!finals.may[key].contains(execution.found[key])) return false;
  }
  return true;
}

bool fits_somehow(const Execution& execution) {
  for (std::uint32_t committed = 0; committed < 1U << kAttempts; ++committed) {
    if (fits(execution, committed)) return true;
  }
  return false;
}

// Given in another order, of clients of their own.
bool passes(const Execution& execution) {
  txn::TimestampCheck check(history_schema(), txn::Isolation::kSerializability);
  for (std::size_t i = kAttempts; i-- > 0;) {
    const Attempt& attempt = execution.attempts[i];
    AttemptBuilder builder(static_cast<std::uint16_t>(i));
    builder.during(1, 99).timestamp(10 * (i + 1)).outcome(attempt.outcome);
    for (std::size_t key = 0; key < kKeys; ++key) {
      const Access& access = attempt.accesses[key];
      if (access.reads && access.writes) builder.write(key, access.read, access.written);
      if (access.reads && !access.writes) builder.read(key, access.read);
      if (!access.reads && access.writes) builder.put(key, access.written);
    }
    txn::ClientHistory history;
    builder.add_to(history);
    check.add(history);
  }
  check.finish();
  for (std::size_t key = 0; key < kKeys; ++key) {
    const txn::TimestampCheck::FinalValue value{.record = {.table = 0, .partition = 0, .key = key},
                                                .value = execution.found[key]};
    check.compare_final({&value, 1});
  }
  return !check.anomaly();
}

TEST(TimestampAgreement, WithATrialOfAllOutcomes) {
  int right = 0;
  int wrong = 0;
  int missed = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const Execution execution = Drawn(seed, 30).execution;
    const bool pass = passes(execution);
    if (fits_somehow(execution)) {
      ++right;
      ASSERT_TRUE(pass) << "seed " << seed;
    } else {
      ++wrong;
      if (pass) ++missed;
    }
  }
  EXPECT_GT(right, 5000);
  EXPECT_GT(wrong, 3000);
  EXPECT_LT(missed, wrong / 10) << "what several may have written is left open";
}

TEST(TimestampAgreement, WhereAllOutcomesAreKnown) {
  int wrong = 0;
  for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
    const Execution execution = Drawn(seed, 0).execution;
    const bool right = fits(execution, 0);
    ASSERT_EQ(passes(execution), right) << "seed " << seed;
    wrong += right ? 0 : 1;
  }
  EXPECT_GT(wrong, 3000);
}

}  // namespace
}  // namespace verbena::testing
