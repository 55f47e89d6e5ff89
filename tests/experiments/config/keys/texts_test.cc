// Lists of addresses that --peers takes.
#include "experiments/config/keys/texts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace verbena::experiments {
namespace {

TEST(Peers, AreHostsWithPorts) {
  EXPECT_EQ(check_peers("a:1,b.example-1:65535,10.0.0.1:7001,[::1]:7001,[fe80::1%eth0]:7001"), "");
}

TEST(Peers, ThatAreNoneAreNamed) {
  const std::string is_none = "' is not host:port with a port from 1 to 65535";
  for (const char* peer : {"", "a", ":1", "a:", "a:0", "a:65536", "a:x", " a:1", "a :1", "[]:1"}) {
    EXPECT_EQ(check_peers("x:1," + std::string(peer) + ",y:1"), "'" + (peer + is_none));
  }
  for (const char* peer : {"::1:7001", "::1", "http://a:80", "[::1:7001"}) {
    EXPECT_EQ(check_peers("x:1," + std::string(peer)), "'" + (peer + is_none) + ", or [IPv6]:port");
  }
}

TEST(Peers, AreThereOnce) { EXPECT_EQ(check_peers("a:1,b:1,a:1"), "'a:1' appears twice"); }

TEST(MemorySizes, AreWholeNumbersWithAUnit) {
  EXPECT_EQ(parse_memory_size("3GiB"), std::uint64_t{3} << 30);
  EXPECT_EQ(parse_memory_size("1536MiB"), std::uint64_t{1536} << 20);
  EXPECT_EQ(parse_memory_size("17B"), 17U);
  for (const char* text : {"", "3", "GiB", "1.5GiB", "3 GiB", "-3GiB", "3gib", "99999999999TiB"}) {
    EXPECT_EQ(parse_memory_size(text), std::nullopt) << text;
  }
}

TEST(MemorySizes, ComeBackFromTheirShortestText) {
  EXPECT_EQ(format_memory_size(std::uint64_t{3} << 30), "3GiB");
  EXPECT_EQ(format_memory_size(std::uint64_t{1536} << 20), "1536MiB");
  EXPECT_EQ(format_memory_size(1025), "1025B");
}

TEST(MemorySizes, AsLimitsAreAutoOrNotTooSmall) {
  EXPECT_EQ(check_memory_size("auto"), "");
  EXPECT_EQ(check_memory_size("1MiB"), "");
  for (const char* text : {"", "1KiB", "3", "automatic"}) {
    EXPECT_NE(check_memory_size(text), "") << text;
  }
}

}  // namespace
}  // namespace verbena::experiments
