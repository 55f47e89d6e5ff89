// Texts that tell who waits for what, for people and for programs.
#include "experiments/report/text/unfinished_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace verbena::experiments {
namespace {

workloads::Unfinished one_of(std::uint16_t fiber) {
  return {.node = 2,
          .worker = 1,
          .fiber = fiber,
          .kind = "payment",
          .since = 3 * kMicrosecond / 2,
          .aborts = {{"locked", 3}, {"overflow_full", 40}},
          .waits_for = "room in overflow"};
}

TEST(UnfinishedText, HasALineForEach) {
  const std::string text = unfinished_text({one_of(4), one_of(7)});
  EXPECT_NE(text.find("1.500  payment"), std::string::npos) << text;
  EXPECT_NE(text.find("locked 3, overflow_full 40"), std::string::npos) << text;
  EXPECT_NE(text.find("room in overflow\n2      1      7 "), std::string::npos) << text;
}

TEST(UnfinishedText, CountsThoseThatItLeavesOut) {
  const std::vector<workloads::Unfinished> many(kMostLines + 5, one_of(0));
  EXPECT_NE(unfinished_text(many).find("and 5 others"), std::string::npos);
  const auto document = nlohmann::json::parse(unfinished_document("stuck", many));
  EXPECT_EQ(document["unfinished"].size(), many.size());
}

TEST(UnfinishedText, IsADocumentThatTellsTheSame) {
  const auto document = nlohmann::json::parse(unfinished_document("no \"way\"", {one_of(4)}));
  EXPECT_EQ(document["error"], "no \"way\"");
  const auto& one = document["unfinished"][0];
  EXPECT_EQ(one["node"], 2);
  EXPECT_EQ(one["coroutine"], 4);
  EXPECT_EQ(one["since_us"], 1.5);
  EXPECT_EQ(one["aborts"]["overflow_full"], 40);
  EXPECT_EQ(one["waits_for"], "room in overflow");
}

}  // namespace
}  // namespace verbena::experiments
