// Documents of results, as `compare` reads them and as points are kept.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "experiments/compare/side.h"
#include "experiments/compare/sides_compared.h"
#include "experiments/points/point_result.h"
#include "rdma/base/errors.h"
#include "tests/fuzz/mutations.h"

namespace verbena::testing {
namespace {

using namespace experiments;

const std::vector<std::string_view> kJsonWords = {
    "{",    "}",     "[",       "]",    ":",  ",",     "\"",
    "null", "true",  "false",   "-5",   "0",  "1e308", "1e999",
    "-0.0", "\"x\"", "\\u0000", "\xff", "{}", "[]",    "18446744073709551616"};

class ResultsFuzz : public ::testing::Test {
 protected:
  static std::string document() {
    std::ifstream file(std::getenv("VERBENA_RESULTS"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(ResultsFuzz, Compared) {
  const std::string whole = document();
  const ComparedSide before = read_side("before", whole);
  EXPECT_TRUE(survives(
      "sides of comparisons", {whole}, kJsonWords,
      [&](const std::string& text) {
        const ComparedSide after = read_side("after", text);
        for (const ComparedPlace& place : compare_sides(before, after, 0).places) {
          for (const ComparedQuantity& quantity : place.quantities) {
            if (quantity.change) static_cast<void>(quantity.interval());
          }
        }
      },
      is_any_of<ConfigurationError>));
}

TEST_F(ResultsFuzz, Kept) {
  EXPECT_TRUE(survives(
      "points", {document()}, kJsonWords, [](const std::string& text) { parse_point_result(text); },
      is_any_of<std::runtime_error>));
}

}  // namespace
}  // namespace verbena::testing
