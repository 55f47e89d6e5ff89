// Records: their layout, and that no torn read passes for a consistent one.
#include "txn/store/record.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "rdma/base/random.h"
#include "rdma/seam/core.h"
#include "txn/store/lock_word.h"

namespace verbena::txn {
namespace {

using Bytes = std::vector<std::byte>;

Bytes payload_of(std::uint32_t bytes, std::uint64_t version) {
  Bytes payload(bytes);
  for (std::uint32_t i = 0; i < bytes; ++i)
    payload[i] = static_cast<std::byte>(mix64(version * 65536 + i));
  return payload;
}

// Registered memory of one record, aligned as in a store.
class LiveRecord {
 public:
  LiveRecord(const RecordFormat& format, std::uint64_t version)
      : memory_(format.bytes() + kLineBytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    live_ = memory_.data() + (kLineBytes - address % kLineBytes) % kLineBytes;
    format.compose(live_, version, version, payload_of(format.payload_bytes(), version).data());
  }
  std::byte* live() { return live_; }

 private:
  Bytes memory_;
  std::byte* live_;
};

TEST(RecordFormat, ShortRecordsStayWithinOneLine) {
  EXPECT_EQ(RecordFormat(8).bytes(), 32U);
  EXPECT_EQ(RecordFormat(8).stride(), 32U);
  EXPECT_EQ(RecordFormat(9).stride(), 64U);
  EXPECT_EQ(RecordFormat(40).bytes(), 64U);
  EXPECT_EQ(RecordFormat(40).lines(), 1U);
}

TEST(RecordFormat, LongerRecordsSpendATagPerFurtherLine) {
  EXPECT_EQ(RecordFormat(41).bytes(), 64U + 8 + 8);
  EXPECT_EQ(RecordFormat(41).stride(), 128U);
  EXPECT_EQ(RecordFormat(40 + 56).bytes(), 128U);
  EXPECT_EQ(RecordFormat(1000).lines(), 19U);
}

RC_GTEST_PROP(RecordFormat, ExtractGivesBackWhatComposeWasGiven, ()) {
  const auto bytes = *rc::gen::inRange<std::uint32_t>(1, 700);
  const RecordFormat format(bytes);
  Bytes image(format.bytes());
  const Bytes payload = payload_of(bytes, 3);
  format.compose(image.data(), 3, 99, payload.data());
  Bytes extracted(bytes);
  format.extract(image.data(), extracted.data());
  RC_ASSERT(extracted == payload);
  RC_ASSERT(format.untorn(image.data()));
  RC_ASSERT(load_word(image.data() + kKeyOffset) == 99U);
  RC_ASSERT(load_word(image.data() + kLockOffset) == kUnlocked);
}

RC_GTEST_PROP(RecordFormat, LiveReadsGiveWhatWasWritten, ()) {
  const auto bytes = *rc::gen::inRange<std::uint32_t>(1, 300);
  const RecordFormat format(bytes);
  LiveRecord record(format, 1);
  const Bytes payload = payload_of(bytes, 2);
  format.write_live(record.live(), 2, 7, payload.data());
  std::uint64_t version = 0;
  Key key = 0;
  Bytes read(bytes);
  RC_ASSERT(format.read_live(record.live(), version, key, read.data()) ==
            RecordFormat::ReadStatus::kOk);
  RC_ASSERT(version == 2U);
  RC_ASSERT(key == 7U);
  RC_ASSERT(read == payload);
}

TEST(RecordFormat, LiveReadRefusesALockedRecord) {
  const RecordFormat format(100);
  LiveRecord record(format, 1);
  store_word(record.live() + kLockOffset,
             LockOwner{.node = 1, .worker = 2, .fiber = 3, .attempt = 4}.word());
  std::uint64_t version = 0;
  Key key = 0;
  Bytes read(100);
  EXPECT_EQ(format.read_live(record.live(), version, key, read.data()),
            RecordFormat::ReadStatus::kLocked);
}

// A writer as a sequence of steps, each one of which takes effect at once.
using Steps = std::vector<std::function<void(std::byte*)>>;

// The commit of an RNIC: lines of the write in any order, then the unlock.
Steps nic_commit(const RecordFormat& format, std::uint64_t version, Random& random) {
  auto image = std::make_shared<Bytes>(format.bytes());
  format.compose(image->data(), version, version,
                 payload_of(format.payload_bytes(), version).data());
  Steps steps;
  for (std::uint32_t line = 0; line < format.lines(); ++line) {
    const std::uint32_t begin = std::max(line * kLineBytes, kVersionOffset);
    const std::uint32_t end = std::min((line + 1) * kLineBytes, format.bytes());
    steps.emplace_back(
        [=](std::byte* live) { std::memcpy(live + begin, image->data() + begin, end - begin); });
  }
  for (std::size_t i = steps.size(); i > 1; --i) std::swap(steps[i - 1], steps[random.below(i)]);
  steps.emplace_back([](std::byte* live) { store_word(live + kLockOffset, kUnlocked); });
  return steps;
}

// The commit of a CPU, word by word in the order that write_live promises.
Steps cpu_commit(const RecordFormat& format, std::uint64_t version) {
  auto image = std::make_shared<Bytes>(format.bytes());
  format.compose(image->data(), version, version,
                 payload_of(format.payload_bytes(), version).data());
  Steps steps;
  auto put = [&](std::uint32_t at, std::uint64_t word) {
    steps.emplace_back([=](std::byte* live) { store_word(live + at, word); });
  };
  for (std::uint32_t line = kLineBytes; line < format.bytes(); line += kLineBytes)
    put(line, kLineBusy);
  put(kKeyOffset, version);
  for (std::uint32_t at = kRecordHeaderBytes; at < format.bytes(); at += 8) {
    if (at % kLineBytes != 0) put(at, load_word(image->data() + at));
  }
  for (std::uint32_t line = kLineBytes; line < format.bytes(); line += kLineBytes)
    put(line, version);
  put(kVersionOffset, version);
  put(kLockOffset, kUnlocked);
  return steps;
}

// Several commits of one record after another, by NICs and CPUs.
Steps commits(const RecordFormat& format, Random& random) {
  Steps steps;
  for (std::uint64_t version = 2; version < 5; ++version) {
    steps.emplace_back([](std::byte* live) { store_word(live + kLockOffset, 1); });
    for (auto& step :
         random.below(2) == 0 ? nic_commit(format, version, random) : cpu_commit(format, version)) {
      steps.push_back(step);
    }
  }
  return steps;
}

// A READ that fetches lines in any order between any steps of several commits in a row.
RC_GTEST_PROP(RecordFormat, NoInterleavingOfLinesGivesAnAcceptedTornImage, (std::uint64_t seed)) {
  Random random(seed);
  const RecordFormat format(static_cast<std::uint32_t>(1 + random.below(260)));
  LiveRecord record(format, 1);
  const Steps steps = commits(format, random);
  std::vector<std::uint32_t> lines(format.lines());
  std::iota(lines.begin(), lines.end(), 0);
  for (std::size_t i = lines.size(); i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
  std::vector<std::size_t> at(lines.size());
  for (std::size_t& when : at) when = random.below(steps.size() + 1);
  std::sort(at.begin(), at.end());

  Bytes image(format.bytes());
  std::size_t done = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (; done < at[i]; ++done) steps[done](record.live());
    const std::uint32_t begin = lines[i] * kLineBytes;
    std::memcpy(image.data() + begin, record.live() + begin,
                std::min(kLineBytes, format.bytes() - begin));
  }
  if (load_word(image.data() + kLockOffset) != kUnlocked || !format.untorn(image.data())) return;
  Bytes payload(format.payload_bytes());
  format.extract(image.data(), payload.data());
  RC_ASSERT(payload ==
            payload_of(format.payload_bytes(), load_word(image.data() + kVersionOffset)));
}

// A core between whose accesses others go on: most often not at all, else some of their steps.
class InterruptedCore final : public rdma::Core {
 public:
  InterruptedCore(Steps steps, std::byte* live, Random random)
      : Core(rdma::WorkCosts{}),
        steps_(std::move(steps)),
        live_(live),
        random_(random),
        seldom_(2 + random_.below(20)) {
    preemptible_ = true;
  }

  Nanoseconds now() const override { return 0; }
  void give_way() override {}
  void idle(Nanoseconds /*deadline*/) override {}
  void wake() override {}

  /// True if the others have begun, and not come to their end.
  bool amidst() const { return done_ > 0 && done_ < steps_.size(); }

 private:
  void interrupt(const void* /*at*/) override {
    if (random_.below(seldom_) != 0) return;
    for (std::uint64_t count = 1 + random_.below(12); count > 0 && done_ < steps_.size(); --count) {
      steps_[done_++](live_);
    }
  }

  Steps steps_;
  std::byte* live_;
  Random random_;
  std::uint64_t seldom_;
  std::size_t done_ = 0;
};

// Results of reads by a CPU that is interrupted for any steps of several commits in a row.
struct LiveReads {
  int wrong = 0;            // accepted, and not what any commit wrote
  int accepted_amidst = 0;  // commits
};

LiveReads interrupted_reads(std::uint64_t seed) {
  Random random(seed);
  LiveReads reads;
  for (int trial = 0; trial < 50; ++trial) {
    const RecordFormat format(static_cast<std::uint32_t>(1 + random.below(260)));
    LiveRecord record(format, 1);
    InterruptedCore core(commits(format, random), record.live(), Random(random.next()));
    Bytes payload(format.payload_bytes());
    std::uint64_t version = 0;
    Key key = 0;
    for (int read = 0; read < 8; ++read) {
      const auto status = format.read_live(record.live(), version, key, payload.data(), &core);
      if (status != RecordFormat::ReadStatus::kOk) continue;
      const bool right = payload == payload_of(format.payload_bytes(), version) && key == version;
      reads.wrong += right ? 0 : 1;
      reads.accepted_amidst += core.amidst() ? 1 : 0;
    }
  }
  return reads;
}

RC_GTEST_PROP(RecordFormat, NoInterruptGivesAnAcceptedTornLiveRead, (std::uint64_t seed)) {
  RC_ASSERT(interrupted_reads(seed).wrong == 0);
}

TEST(RecordFormat, LiveReadsAmidstCommitsAreAcceptedWhereTheyMay) {
  int accepted = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    accepted += interrupted_reads(seed).accepted_amidst;
  }
  EXPECT_GT(accepted, 50);
}

TEST(LockOwner, SurvivesTheLockWordAndIsNeverFree) {
  for (const std::uint16_t attempt : {0, 1, 32767}) {
    const LockOwner owner{.node = 499, .worker = 23, .fiber = 15, .attempt = attempt};
    EXPECT_EQ(LockOwner::of(owner.word()), owner);
    EXPECT_NE(owner.word(), kUnlocked);
  }
  EXPECT_NE(LockOwner{}.word(), kUnlocked);
}

}  // namespace
}  // namespace verbena::txn
