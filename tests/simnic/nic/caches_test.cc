// The NIC's cache of the state of requests that wait for their answers.
#include "simnic/nic/caches.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace verbena::simnic {
namespace {

/// Part of the requests that are no longer there when they are answered, with `live` in flight.
double missed(std::int64_t entries, std::uint32_t live) {
  constexpr std::uint32_t kRequests = 100'000;
  RequestCache cache(entries);
  std::uint32_t lost = 0;
  for (std::uint32_t i = 0; i < kRequests; ++i) {
    const std::uint32_t newest = cache.bring_in();
    if (i >= live && !cache.has(newest - live)) ++lost;
  }
  return static_cast<double>(lost) / kRequests;
}

TEST(RequestCache, KeepsWhatFitsAndForgetsWhatDoesNot) {
  EXPECT_EQ(missed(1000, 490), 0);
  EXPECT_NEAR(missed(1000, 1000), 0.5, 0.02);
  EXPECT_GT(missed(1000, 1510), 0.98);
}

TEST(RequestCache, OfOneEntryKeepsTheLast) {
  RequestCache cache(1);
  const std::uint32_t first = cache.bring_in();
  EXPECT_TRUE(cache.has(first));
  const std::uint32_t second = cache.bring_in();
  EXPECT_FALSE(cache.has(first));
  EXPECT_TRUE(cache.has(second));
}

}  // namespace
}  // namespace verbena::simnic
