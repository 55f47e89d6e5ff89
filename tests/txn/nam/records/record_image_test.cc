// Images of records: composed, taken apart, and found torn.
#include "txn/nam/records/record_image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

class ImageFormatTest : public ::testing::TestWithParam<std::uint32_t> {};

INSTANTIATE_TEST_SUITE_P(Sizes, ImageFormatTest,
                         ::testing::Values(0U, 1U, 31U, 32U, 33U, 88U, 89U, 200U, 664U));

TEST_P(ImageFormatTest, GivesBackWhatWasPutIn) {
  const ImageFormat format(GetParam());
  std::vector<std::uint8_t> payload(GetParam());
  std::iota(payload.begin(), payload.end(), std::uint8_t{1});
  std::vector<std::byte> memory(format.stride(), std::byte{0xff});
  const RecordImage image(memory.data());
  const std::uint64_t version = version_of({.slot = 7, .count = 9}, false);
  format.compose(image, version, 3, 1234, reinterpret_cast<const std::byte*>(payload.data()));
  EXPECT_EQ(image.lock(), version) << "unlocked";
  EXPECT_EQ(image.version(), version);
  EXPECT_EQ(image.installs(), 3U);
  EXPECT_EQ(image.key(), 1234U);
  EXPECT_TRUE(format.whole(image));
  EXPECT_LE(format.bytes(), format.stride());
  std::vector<std::uint8_t> back(GetParam());
  format.extract(image, reinterpret_cast<std::byte*>(back.data()));
  EXPECT_EQ(back, payload);
}

TEST_P(ImageFormatTest, IsTornWhileAnyLineIsOfAnotherVersion) {
  const ImageFormat format(GetParam());
  const std::vector<std::byte> payload(GetParam());
  std::vector<std::byte> before(format.stride());
  std::vector<std::byte> after(format.stride());
  format.compose(RecordImage(before.data()), version_of({.slot = 7, .count = 9}, false), 3, 1,
                 payload.data());
  format.compose(RecordImage(after.data()), version_of({.slot = 5, .count = 2}, false), 4, 1,
                 payload.data());
  for (std::uint32_t line = 0; line < format.lines(); ++line) {
    std::vector<std::byte> mixed = before;
    const auto at = static_cast<std::ptrdiff_t>(line * kCacheLineBytes);
    std::copy_n(after.begin() + at, kCacheLineBytes, mixed.begin() + at);
    EXPECT_EQ(format.whole(RecordImage(mixed.data())), format.lines() == 1) << line;
  }
}

TEST(Version, TellsItsStampAndItsFlags) {
  const Stamp largest{.slot = kMostSlots - 1, .count = kMostCount};
  EXPECT_EQ(stamp_of(version_of(largest, true)), largest);
  EXPECT_TRUE(deleted(version_of(largest, true)));
  EXPECT_FALSE(deleted(version_of(largest, false)));
  EXPECT_FALSE(locked(version_of(largest, true)));
  EXPECT_TRUE(locked(lock_word(largest.slot, largest.count)));
  EXPECT_EQ(stamp_of(kInitialVersion), Stamp{});
}

}  // namespace
}  // namespace verbena::txn::nam
