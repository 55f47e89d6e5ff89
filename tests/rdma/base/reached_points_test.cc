// Points are kept once each, in their order, whoever tells them.
#include "rdma/base/reached_points.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

namespace verbena {
namespace {

TEST(ReachedPoints, AreKeptOnceAndInOrder) {
  ReachedPoints reached;
  EXPECT_TRUE(reached.points().empty());
  reached.add("room: b");
  reached.add("room: a");
  reached.add("room: b");
  EXPECT_EQ(std::vector<std::string>(reached.points().begin(), reached.points().end()),
            (std::vector<std::string>{"room: a", "room: b"}));
}

TEST(ReachedPoints, ComeFromSeveralThreads) {
  ReachedPoints reached;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int first = 0; first < 4; ++first) {
    threads.emplace_back([&reached, first] {
      for (int i = 0; i < 1000; ++i) reached.add(std::to_string((first + i) % 100));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reached.points().size(), 100U);
}

}  // namespace
}  // namespace verbena
