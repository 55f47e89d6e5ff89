// Every library of //third_party compiles, links and does one thing.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <rapidcheck/gtest.h>
#include <spdlog/spdlog.h>
#include <toml++/toml.h>

#include <boost/context/fiber.hpp>
#include <nlohmann/json.hpp>
#include <simgrid/s4u.hpp>

namespace {

TEST(Libraries, Fiber) {
  int steps = 0;
  boost::context::fiber f{[&](boost::context::fiber&& caller) {
    ++steps;
    return std::move(caller);
  }};
  f = std::move(f).resume();
  EXPECT_EQ(steps, 1);
}

TEST(Libraries, Text) {
  EXPECT_EQ(fmt::format("{:>3}", 7), "  7");
  EXPECT_EQ(nlohmann::json::parse(R"({"a":1})")["a"], 1);
  EXPECT_EQ(toml::parse("a = 1")["a"].value<int>(), 1);
  EXPECT_STREQ(ibv_wc_status_str(IBV_WC_SUCCESS), "success");
  spdlog::debug("quiet");
}

TEST(Libraries, SimGrid) {
  simgrid::s4u::Engine engine("libraries_test");
  EXPECT_EQ(simgrid::s4u::Engine::get_clock(), 0);
}

RC_GTEST_PROP(Libraries, AdditionCommutes, (int a, int b)) {
  const auto x = static_cast<unsigned>(a);
  const auto y = static_cast<unsigned>(b);
  RC_ASSERT(x + y == y + x);
}

}  // namespace
