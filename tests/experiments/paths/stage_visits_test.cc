// A stage of a request becomes parts that fill its time.
#include "experiments/paths/stage_visits.h"

#include <gtest/gtest.h>

#include <vector>

namespace verbena::experiments {
namespace {

using simnic::Resource;
using simnic::Stage;
using simnic::Station;

constexpr Viewpoint kFrom{.node = 1, .worker = 0, .nics_per_node = 2};
constexpr std::uint32_t kOwnNic = 3;
constexpr std::uint32_t kOtherNic = 4;

struct Expected {
  Part part;
  std::int64_t until;
};

void expect_parts(const Way& way, const std::vector<Expected>& expected) {
  ASSERT_EQ(way.segments().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(way.segments()[i].part, expected[i].part) << i;
    EXPECT_EQ(way.segments()[i].until, Picoseconds(expected[i].until)) << i;
  }
}

TEST(StageVisits, BeginWithTheLongestWaitAndEndBehindEarlierRequests) {
  StageVisits stage;
  stage.begin(Stage::kIssue, Picoseconds(100));
  stage.visit({Station::kUnits, Resource::kProcessing, kOwnNic, 0, Picoseconds(130), Picoseconds(5),
               Picoseconds(50)});
  stage.visit({Station::kPort, Resource::kPort, kOwnNic, 0, Picoseconds(110), Picoseconds(7),
               Picoseconds(7)});
  stage.visit({Station::kWire, Resource::kNone, kOwnNic, 0, 0, 0, Picoseconds(20)});
  Way way(Picoseconds(100));
  stage.append_to(way, kFrom, kOwnNic, Picoseconds(30), Picoseconds(240));
  expect_parts(way, {{Part::of(Place::kOwnNic, Resource::kProcessing), 130},
                     {Part::of(Place::kOwnNic, Station::kUnits), 180},
                     {Part::of(Place::kOwnNic, Station::kPort), 187},
                     {Part::of(Place::kNetwork, Station::kWire), 207},
                     {Part::of(Place::kOwnNic, Delay::kOrder), 240}});
}

TEST(StageVisits, NameTheQueueThatWasWaitedFor) {
  StageVisits stage;
  stage.begin(Stage::kRespond, Picoseconds(100));
  stage.visit({Station::kCompletion, Resource::kToHost, kOwnNic, 0, Picoseconds(110),
               Picoseconds(5), Picoseconds(5)});
  // It is entered, but nobody waits.
  stage.visit(
      {Station::kUnits, Resource::kProcessing, kOwnNic, 0, Picoseconds(190), Picoseconds(5), 0});
  Way way(Picoseconds(100));
  stage.append_to(way, kFrom, kOwnNic, Picoseconds(10), Picoseconds(115));
  expect_parts(way, {{Part::of(Place::kOwnNic, Resource::kToHost), 110},
                     {Part::of(Place::kOwnNic, Station::kCompletion), 115}});
}

TEST(StageVisits, AddWhatAStationGivesBack) {
  StageVisits stage;
  stage.begin(Stage::kExecute, Picoseconds(0));
  stage.visit(
      {Station::kMemoryRead, Resource::kToHost, kOtherNic, 0, 0, Picoseconds(5), Picoseconds(60)});
  stage.visit({Station::kMemoryRead, Resource::kNone, kOtherNic, 0, 0, 0, Picoseconds(-20)});
  Way way;
  stage.append_to(way, kFrom, kOtherNic, 0, Picoseconds(40));
  expect_parts(way, {{Part::of(Place::kOtherNic, Station::kMemoryRead), 40}});
}

TEST(StageVisits, KnowTheCoreThatPosts) {
  StageVisits stage;
  Way way;
  for (const WorkerId worker : {WorkerId{0}, WorkerId{1}}) {
    stage.begin(Stage::kPost, way.until());
    stage.on_core(1, worker);
    stage.visit({Station::kPost, Resource::kCore, kOwnNic, 0, 0, Picoseconds(9), Picoseconds(9)});
    stage.append_to(way, kFrom, kOwnNic, 0, way.until() + Picoseconds(9));
  }
  expect_parts(way, {{Part::of(Place::kOwnCore, Station::kPost), 9},
                     {Part::of(Place::kOtherCore, Station::kPost), 18}});
}

}  // namespace
}  // namespace verbena::experiments
