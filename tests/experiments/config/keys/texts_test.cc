// Lists of addresses that --peers takes.
#include "experiments/config/keys/texts.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace verbena::experiments
