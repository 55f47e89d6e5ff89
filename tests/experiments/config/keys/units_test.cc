// How numbers with units are read and printed.
#include "experiments/config/keys/units.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace verbena::experiments {
namespace {

TEST(Duration, TakesEveryUnit) {
  EXPECT_EQ(parse_duration("100ns"), 100_ns);
  EXPECT_EQ(parse_duration("500us"), 500'000_ns);
  EXPECT_EQ(parse_duration("2ms"), 2'000'000_ns);
  EXPECT_EQ(parse_duration("1.5s"), 1'500'000'000_ns);
  EXPECT_EQ(parse_duration("10s"), 10'000'000'000_ns);
  EXPECT_EQ(parse_duration("2min"), 120'000'000'000_ns);
}

TEST(Duration, FractionsAreRoundedToNanoseconds) {
  EXPECT_EQ(parse_duration("0.1us"), 100_ns);
  EXPECT_EQ(parse_duration("1.6ns"), 2_ns);
  EXPECT_EQ(parse_duration("1e3us"), 1'000'000_ns);
}

TEST(Duration, RefusesWhatIsNone) {
  for (const char* text : {"", "5", "ms", "-2ms", "-0.0s", "2 ms", "2Ms", "nans", "infs", "1..2s",
                           "0x1s", "9999999999999s", "1e300s", "2ms3us", "+1s"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, PrintsTheLargestUnitThatFits) {
  EXPECT_EQ(format_duration(0), "0s");
  EXPECT_EQ(format_duration(1'500'000_ns), "1500us");
  EXPECT_EQ(format_duration(2'000'000_ns), "2ms");
  EXPECT_EQ(format_duration(3'600'000'000'000_ns), "3600s");
}

RC_GTEST_PROP(Duration, PrintedDurationsReadBackExactly, (std::uint32_t high, std::uint32_t low)) {
  const auto duration =
      Nanoseconds(((std::uint64_t{high} << 32) | low) & static_cast<std::uint64_t>(INT64_MAX));
  RC_ASSERT(parse_duration(format_duration(duration)) == duration);
}

TEST(Refused, IsQuotedWhereItWouldNotBeSeen) {
  EXPECT_EQ(refused_text("8"), "8");
  EXPECT_EQ(refused_text("tpcc-n\u00f6"), "tpcc-n\u00f6");
  EXPECT_EQ(refused_text(""), "''");
  EXPECT_EQ(refused_text(" "), "' '");
  EXPECT_EQ(refused_text("8, 16"), "'8, 16'");
  EXPECT_EQ(refused_text("8\n"), "'8?'");
  EXPECT_EQ(refused_text("8\xff"), "8?");
  EXPECT_EQ(refused_text(std::string(500, 'x')), std::string(200, 'x') + "...");
}

TEST(Whole, TakesAllSixtyFourBits) {
  EXPECT_EQ(parse_whole("0"), 0U);
  EXPECT_EQ(parse_whole("18446744073709551615"), UINT64_MAX);
}

TEST(Whole, RefusesWhatIsNone) {
  for (const char* text : {"", "-1", "+1", "3.5", "1e3", " 3", "3 ", "0x10", "nan",
                           "18446744073709551616", "99999999999999999999999"}) {
    EXPECT_EQ(parse_whole(text), std::nullopt) << text;
  }
}

TEST(Real, RefusesWhatIsNoFiniteNumber) {
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "0.1x", " 1"}) {
    EXPECT_EQ(parse_real(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_real("0.01"), 0.01);
  EXPECT_EQ(parse_real("-1e-3"), -0.001);
}

TEST(Switch, TakesTheUsualWords) {
  for (const char* text : {"true", "On", "YES", "1"}) EXPECT_EQ(parse_switch(text), true) << text;
  for (const char* text : {"false", "off", "No", "0"}) EXPECT_EQ(parse_switch(text), false) << text;
  for (const char* text : {"", "2", "maybe"}) EXPECT_EQ(parse_switch(text), std::nullopt) << text;
}

TEST(Scaled, HasThreeDigits) {
  EXPECT_EQ(format_scaled(0), "0.00 ");
  EXPECT_EQ(format_scaled(12.34), "12.3 ");
  EXPECT_EQ(format_scaled(999.4), "999 ");
  EXPECT_EQ(format_scaled(999.6), "1.00 k");
  EXPECT_EQ(format_scaled(1'234'567), "1.23 M");
}

TEST(Plain, HasNoExponent) {
  EXPECT_EQ(format_plain(0, 3), "0");
  EXPECT_EQ(format_plain(1.5, 3), "1.5");
  EXPECT_EQ(format_plain(-0.63, 3), "-0.63");
  EXPECT_EQ(format_plain(12.34, 3), "12.3");
  EXPECT_EQ(format_plain(999.6, 3), "1000");
  EXPECT_EQ(format_plain(1e8, 3), "100000000");
  EXPECT_EQ(format_plain(1'234'567, 4), "1234567");
  EXPECT_EQ(format_plain(0.0000123, 3), "0.0000123");
}

TEST(Bytes, HaveABinaryPrefix) {
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1536), "1.50 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{3} << 30), "3.00 GiB");
}

TEST(Printable, KeepsTextAndReplacesTheRest) {
  EXPECT_EQ(printable("größe 1"), "größe 1");
  EXPECT_EQ(printable("a\nb\tc\x1b[0m\x7f"), "a?b?c?[0m?");
  EXPECT_EQ(printable("x\xff\xc3"), "x??");
  EXPECT_EQ(printable("\xed\xa0\x80"), "???") << "a surrogate is not UTF-8";
  EXPECT_EQ(printable("\xc2\x85"), "?") << "a control character beyond ASCII";
}

TEST(Printable, CutsLongTextAtACharacter) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("aaü", 3), "aa...");
}

}  // namespace
}  // namespace verbena::experiments
