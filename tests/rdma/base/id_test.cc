// Names of one kind are numbers that do not become names of another.
#include "rdma/base/id.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace verbena {
namespace {

using Cat = Id<struct CatKind>;
using Dog = Id<struct DogKind>;

template <typename A, typename B>
concept Comparable = requires(A a, B b) {
  a == b;
};
template <typename A, typename B>
concept Ordered = requires(A a, B b) {
  a < b;
};

static_assert(!std::is_constructible_v<Cat, Dog> && !std::is_assignable_v<Cat&, Dog>);
static_assert(!Comparable<Cat, Dog> && !Ordered<Cat, Dog>);
static_assert(std::is_constructible_v<Cat, std::uint32_t>);
static_assert(std::is_trivially_copyable_v<Cat> && sizeof(Cat) == sizeof(std::uint16_t));

TEST(Id, IsANumberWhereANumberIsWanted) {
  const std::vector<int> legs = {4, 3};
  const Cat cat(1U);
  EXPECT_EQ(legs[cat], 3);
  EXPECT_EQ(cat + 1, 2);
  EXPECT_EQ(std::to_string(cat), "1");
  EXPECT_EQ(std::uint64_t{cat} << 48, std::uint64_t{1} << 48);
}

TEST(Id, ComparesWithItsKindAndWithNumbers) {
  const Cat first = 0;
  const Cat second = 1;
  EXPECT_LT(first, second);
  EXPECT_NE(first, second);
  EXPECT_EQ(second, 1U);
  EXPECT_LT(second, 2);
}

TEST(Id, CountsInLoops) {
  std::vector<std::string> names;
  for (Dog dog = 0; dog < 3; ++dog) names.push_back(std::to_string(dog));
  EXPECT_EQ(names, (std::vector<std::string>{"0", "1", "2"}));
}

}  // namespace
}  // namespace verbena
