// Records that a CPU copies or writes while others do: what is taken for whole is one version.
#include "txn/nam/records/live_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "tests/txn/nam/interrupted_core.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

// An image as it lies in memory, whose payload tells its version.
class Image {
 public:
  Image(const ImageFormat& format, std::uint32_t commits)
      : format_(format), bytes_(format.stride() / sizeof(Line)) {
    const std::vector<std::byte> payload(format.payload_bytes(), static_cast<std::byte>(commits));
    format.compose(image(), version_of({.slot = 3, .count = commits}, false), commits, 17,
                   payload.data());
  }
  std::byte* memory() { return reinterpret_cast<std::byte*>(bytes_.data()); }
  RecordImage image() { return RecordImage(memory()); }
  void lock() { std::memcpy(memory() + kLockOffset, &kOwner, sizeof kOwner); }
  void write_line(std::uint32_t line, Image& from) { bytes_[line] = from.bytes_[line]; }

  bool is(std::uint32_t commits) {
    std::vector<std::byte> payload(format_.payload_bytes());
    format_.extract(image(), payload.data());
    return image().version() == version_of({.slot = 3, .count = commits}, false) &&
           image().installs() == commits && image().key() == 17 &&
           std::ranges::all_of(payload,
                               [=](auto b) { return b == static_cast<std::byte>(commits); });
  }
  bool whole() { return format_.whole(image()); }

 private:
  struct alignas(kCacheLineBytes) Line {
    std::array<std::byte, kCacheLineBytes> bytes{};
  };
  static constexpr std::uint64_t kOwner = lock_word(9, 1);
  const ImageFormat& format_;
  std::vector<Line> bytes_;
};

class LiveMemoryTest : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  ImageFormat format_{GetParam()};
  InterruptedCore quiet_;
};

INSTANTIATE_TEST_SUITE_P(Sizes, LiveMemoryTest, ::testing::Values(1U, 32U, 33U, 88U, 200U));

TEST_P(LiveMemoryTest, GivesBackWhatWasWritten) {
  Image live(format_, 1);
  Image next(format_, 2);
  Image copy(format_, 9);
  live.lock();
  write_live(live.memory(), format_, next.image(), quiet_);
  EXPECT_TRUE(live.is(2));
  EXPECT_EQ(live.image().lock(), next.image().lock()) << "unlocked";
  read_live(live.memory(), format_, copy.image(), quiet_);
  EXPECT_TRUE(copy.whole());
  EXPECT_TRUE(copy.is(2));
}

// The owner of the lock stays to be seen.
TEST_P(LiveMemoryTest, IsLockedAndNotWholeWhileItIsWritten) {
  for (std::uint32_t step = 0;; ++step) {
    Image live(format_, 1);
    Image next(format_, 2);
    live.lock();
    const std::uint64_t lock = live.image().lock();
    bool looked = false;
    InterruptedCore core(step, [&] {
      looked = true;
      EXPECT_TRUE(locked(live.image().lock()));
      EXPECT_EQ(live.image().lock() & ~kChanging, lock);
      EXPECT_FALSE(live.whole()) << "what a NIC sees, step " << step;
      Image copy(format_, 9);
      read_live(live.memory(), format_, copy.image(), quiet_);
      EXPECT_FALSE(copy.whole()) << "what another core sees, step " << step;
    });
    write_live(live.memory(), format_, next.image(), core);
    if (!looked) break;
  }
}

TEST_P(LiveMemoryTest, IsOneVersionOrNotWholeWhenACoreWritesMeanwhile) {
  std::uint32_t steps = 1;
  for (std::uint32_t step = 0; step < steps; ++step) {
    Image live(format_, 1);
    Image next(format_, 2);
    Image copy(format_, 9);
    live.lock();
    InterruptedCore core(step, [&] { write_live(live.memory(), format_, next.image(), quiet_); });
    read_live(live.memory(), format_, copy.image(), core);
    if (copy.whole()) {
      EXPECT_TRUE(copy.is(1) || copy.is(2)) << "step " << step;
    }
    steps = core.steps();
  }
  EXPECT_GT(steps, 2U);
}

// Some lines before, in one order or the other, and the others meanwhile.
TEST_P(LiveMemoryTest, IsOneVersionOrNotWholeWhenANicWritesMeanwhile) {
  for (const bool descending : {false, true}) {
    for (std::uint32_t before = 0; before < format_.lines(); ++before) {
      std::uint32_t steps = 1;
      for (std::uint32_t step = 0; step < steps; ++step) {
        Image live(format_, 1);
        Image next(format_, 2);
        Image copy(format_, 9);
        live.lock();
        const auto write = [&](std::uint32_t from, std::uint32_t until) {
          for (std::uint32_t i = from; i < until; ++i) {
            live.write_line(descending ? format_.lines() - 1 - i : i, next);
          }
        };
        write(0, before);
        InterruptedCore core(step, [&] { write(before, format_.lines()); });
        read_live(live.memory(), format_, copy.image(), core);
        if (copy.whole()) {
          EXPECT_TRUE(copy.is(1) || copy.is(2)) << before << " lines, step " << step;
        }
        steps = std::max(steps, core.steps());
      }
    }
  }
}

// By cores that take turns as they happen to.
TEST_P(LiveMemoryTest, IsOneVersionOrNotWholeAmongThreads) {
  constexpr std::uint32_t kCommits = 2000;
  constexpr std::uint32_t kValues = 256;
  Image live(format_, 0);
  std::atomic<bool> done = false;
  std::uint64_t wrong = 0;
  std::thread reader([&] {
    InterruptedCore core;
    while (!done) {
      Image copy(format_, 9);
      read_live(live.memory(), format_, copy.image(), core);
      if (copy.whole() && !copy.is(copy.image().installs())) ++wrong;
    }
  });
  for (std::uint32_t commit = 1; commit <= kCommits; ++commit) {
    Image next(format_, commit % kValues);
    write_live(live.memory(), format_, next.image(), quiet_);
  }
  done = true;
  reader.join();
  EXPECT_EQ(wrong, 0U);
}

TEST(LiveHeaders, AreOneOfTheTwoOrNoneWhileTheyAreReplaced) {
  const OldHeader before{.version = version_of({.slot = 3, .count = 1}, false), .installs = 4};
  const OldHeader after{.version = version_of({.slot = 5, .count = 8}, true), .installs = 7};
  const auto is = [](const OldHeader& a, const OldHeader& b) {
    return a.version == b.version && a.installs == b.installs;
  };
  InterruptedCore quiet;
  std::uint32_t steps = 1;
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::array<OldHeader, 2> live{before, before};
    std::array<OldHeader, 2> copies;
    auto* memory = reinterpret_cast<std::byte*>(live.data());
    InterruptedCore core(step, [&] { write_live(memory + sizeof(OldHeader), after, quiet); });
    read_live(memory, copies, core);
    EXPECT_TRUE(is(copies[0], before));
    EXPECT_TRUE(is(copies[1], before) || is(copies[1], after) || copies[1].installs == 0) << step;
    EXPECT_TRUE(is(live[1], after));
    steps = core.steps();
  }
}

TEST(LiveHeaders, AreTheOldOneOrNoneWhileTheyAreWritten) {
  std::uint32_t steps = 1;
  for (std::uint32_t step = 0; step < steps; ++step) {
    OldHeader live{.version = version_of({.slot = 3, .count = 1}, false), .installs = 4};
    const OldHeader after{.version = version_of({.slot = 5, .count = 8}, true), .installs = 7};
    InterruptedCore core(step, [&] { EXPECT_EQ(live.installs, 0U) << "what a NIC sees"; });
    write_live(reinterpret_cast<std::byte*>(&live), after, core);
    EXPECT_EQ(live.version, after.version);
    EXPECT_EQ(live.installs, after.installs);
    steps = core.steps();
  }
}

TEST(LiveBucket, IsTornWhenItChangesMeanwhile) {
  std::uint32_t steps = 1;
  for (std::uint32_t step = 0; step < steps; ++step) {
    Bucket live{};
    Bucket copy{};
    InterruptedCore core(step, [&] {
      for (Bucket::Line& line : live.lines) line.version = 2;
      live.set(1, 77, 5);
      live.set(6, 78, 6);
    });
    read_live(reinterpret_cast<std::byte*>(&live), copy, core);
    if (copy.untorn()) {
      EXPECT_EQ(copy.find(77).has_value(), copy.find(78).has_value()) << "step " << step;
    }
    steps = core.steps();
  }
  EXPECT_GT(steps, 2U);
}

}  // namespace
}  // namespace verbena::txn::nam
