// Times of one unit are numbers that do not mix with those of another, nor with plain ones.
#include "rdma/base/time_count.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "rdma/base/time.h"

namespace verbena {
namespace {

struct MinuteUnit;
using Minutes = TimeCount<MinuteUnit>;

template <typename A, typename B>
concept Adds = requires(A a, B b) {
  a + b;
};
template <typename A, typename B>
concept Compares = requires(A a, B b) {
  a < b;
};
template <typename A, typename B>
concept Multiplies = requires(A a, B b) {
  a* b;
};

static_assert(Adds<Picoseconds, Picoseconds> && !Adds<Picoseconds, Minutes>);
static_assert(Compares<Picoseconds, Picoseconds> && !Compares<Picoseconds, Minutes>);
static_assert(Multiplies<Picoseconds, int> && !Multiplies<Picoseconds, Picoseconds>);
static_assert(!Multiplies<Picoseconds, double>, "what is lost is to be said");
static_assert(!std::is_convertible_v<Minutes, Picoseconds>);
static_assert(!std::is_constructible_v<Picoseconds, Nanoseconds>, "to_picoseconds converts");
static_assert(!std::is_constructible_v<Picoseconds, double>);
static_assert(!std::is_convertible_v<Picoseconds, std::int64_t>);
static_assert(sizeof(Picoseconds) == 8 && std::is_trivially_copyable_v<Picoseconds>);

TEST(TimeCount, CalculatesAsItsNumbersDo) {
  const Minutes hour(60);
  EXPECT_EQ(hour + Minutes(1), Minutes(61));
  EXPECT_EQ(Minutes(1) - hour, -Minutes(59));
  EXPECT_EQ(2 * hour, hour * 2U);
  EXPECT_EQ(hour / 8, Minutes(7)) << "rounded towards none";
  EXPECT_EQ(Minutes(150) / hour, 2) << "how often it fits";
  EXPECT_EQ(Minutes(150) % hour, Minutes(30)) << "what is left";
}

TEST(TimeCount, ZeroNeedsNoUnit) {
  Minutes none = 0;
  EXPECT_TRUE(none == 0);
  none += Minutes(1);
  EXPECT_TRUE(none > 0);
}

TEST(TimeCount, AFactorInFixedPointIsRoundedDown) {
  EXPECT_EQ(scaled(Minutes(10), 3, 1), Minutes(15)) << "3/2";
  EXPECT_EQ(scaled(Minutes(3), 1, 2), Minutes(0)) << "1/4";
}

TEST(Picoseconds, AreAThousandthOfANanosecond) {
  EXPECT_EQ(to_picoseconds(kMicrosecond), Picoseconds(1'000'000));
  EXPECT_EQ(to_nanoseconds(Picoseconds(1'999)), 1_ns);
  EXPECT_EQ(to_nanoseconds(to_picoseconds(kSecond)), kSecond);
}

}  // namespace
}  // namespace verbena
