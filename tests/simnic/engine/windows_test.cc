// Windows: nodes that exchange events see the same ones in the same order whichever way they are
// gone through.
#include "simnic/engine/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rdma/base/random.h"
#include "simnic/engine/stack_arena.h"

namespace verbena::simnic {
namespace {

constexpr Picoseconds kLookAhead(1000);
constexpr Picoseconds kEnd(200'000);

/// A node whose events cause others, here and elsewhere, of which many fall on one time.
class TestNode final : public WindowNode, private CoreHost {
 public:
  TestNode(NodeId number, std::uint32_t nodes)
      : nodes_(nodes), random_(number), timeline_(*this, {fabric_, 7, false, nullptr}, number) {
    cpu_.cores_per_socket = 1;
  }

  Timeline& timeline() override { return timeline_; }
  void run_until(Picoseconds end, unsigned) override {
    timeline_.run_until(
        end, [] {}, [this](const TimedEvent& event) { handle(event); });
  }
  void step() override {
    timeline_.step([] {}, [this](const TimedEvent& event) { handle(event); });
  }

  ~TestNode() override { timeline_.stop(); }

  /// Gives the node a core that sleeps until its end, then throws the node's number.
  void begin(Stack stack) {
    timeline_.start({{timeline_.node(), WorkerId{0},
                      [this](rdma::Core& core) {
                        while (core.now() < ends_at_) core.idle(ends_at_);
                        throw std::runtime_error(std::to_string(timeline_.node()));
                      }}},
                    cpu_, {stack});
  }
  void end_core_at(Nanoseconds time) { ends_at_ = time; }
  /// Adds a first event.
  void add_event() { timeline_.schedule(Picoseconds(random_.below(50)), EventKind::kRetry, 0, 0); }
  /// The times of all events, and where each came from.
  const std::vector<std::pair<std::int64_t, std::uint32_t>>& seen() const { return seen_; }
  /// Throws in the first event from this time on.
  void throw_from(Picoseconds time) { throws_from_ = time; }

 private:
  void crash(Picoseconds) override {}
  void watch(const ibv_mr&, SimCore&) override {}

  void handle(const TimedEvent& event) {
    if (event.time >= throws_from_) throw std::runtime_error(std::to_string(timeline_.node()));
    seen_.emplace_back(event.time.count(), event.tag_and_kind);
    // Times are multiples of 10, so that different events meet.
    if (event.kind() == EventKind::kRetry) {
      timeline_.schedule(event.time + Picoseconds(10 * random_.below(30)), EventKind::kRetry, 0, 0);
    }
    const auto to = static_cast<NodeId>(random_.below(nodes_));
    const Picoseconds least = to == timeline_.node() ? Picoseconds(0) : kLookAhead;
    const std::uint32_t longest = random_.below(10) == 0 ? 5000 : 20;
    if (random_.below(3) != 0) {
      timeline_.send(to, event.time + least + Picoseconds(10 * random_.below(longest)),
                     EventKind::kRequestArrives, 0);
    }
  }

  FabricProfile fabric_{};
  CpuProfile cpu_{};
  std::uint32_t nodes_;
  SplitMix random_;
  Picoseconds throws_from_ = kNeverPs;
  Nanoseconds ends_at_ = kSecond;
  std::vector<std::pair<std::int64_t, std::uint32_t>> seen_;
  Timeline timeline_;
};

/// Nodes and the windows that they go through.
struct TestCluster {
  explicit TestCluster(std::uint32_t count) : stacks(count, kStackBytes) {
    std::vector<WindowNode*> all;
    for (std::uint32_t i = 0; i < count; ++i) {
      nodes.push_back(std::make_unique<TestNode>(static_cast<NodeId>(i), count));
      nodes.back()->begin(stacks.stack(i));
      all.push_back(nodes.back().get());
    }
    windows = std::make_unique<Windows>(all, [this](Picoseconds now) { ends.push_back(now); });
  }
  void add_events() {
    for (const auto& node : nodes) node->add_event();
  }
  Windows::Progress pass(Picoseconds limit) const { return windows->advance(limit, false); }

  static constexpr std::size_t kStackBytes = 1024 * 1024;
  StackArena stacks;
  std::vector<std::unique_ptr<TestNode>> nodes;
  std::vector<Picoseconds> ends;
  std::unique_ptr<Windows> windows;
};

using Seen = std::vector<std::vector<std::pair<std::int64_t, std::uint32_t>>>;

Seen seen_by_all(std::uint32_t nodes, Picoseconds length, Windows::Order order, unsigned threads) {
  TestCluster cluster(nodes);
  cluster.windows->set(length, order, threads);
  cluster.add_events();
  // In two steps, so that what the first leaves under way is there in the second.
  for (const Picoseconds limit : {kEnd / 3, kEnd}) {
    EXPECT_EQ(cluster.pass(limit), Windows::Progress::kLimitReached);
    EXPECT_EQ(cluster.windows->now(), limit);
  }
  Seen seen;
  for (const auto& node : cluster.nodes) seen.push_back(node->seen());
  return seen;
}

TEST(Windows, NodesSeeTheSameEventsInTheSameOrderWhicheverWay) {
  for (const std::uint32_t nodes : {2U, 3U, 16U}) {
    const Seen by_time = seen_by_all(nodes, kLookAhead, Windows::Order::kByTime, 1);
    ASSERT_GT(by_time.front().size(), 500U);
    for (const std::int64_t length : {1, 7, 500, 1000}) {
      EXPECT_EQ(seen_by_all(nodes, Picoseconds(length), Windows::Order::kByTime, 1), by_time);
      EXPECT_EQ(seen_by_all(nodes, Picoseconds(length), Windows::Order::kByNode, 1), by_time);
    }
    for (const unsigned threads : {2U, 3U, 8U}) {
      for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(seen_by_all(nodes, kLookAhead, Windows::Order::kByNode, threads), by_time)
            << nodes << " nodes, " << threads << " threads";
      }
    }
  }
}

TEST(Windows, EventsOfSeveralNodesAtOneTimeComeByNodeAfterItsOwn) {
  TestCluster cluster(4);
  cluster.windows->set(kLookAhead, Windows::Order::kByNode, 1);
  Timeline& timeline = cluster.nodes[2]->timeline();
  for (const NodeId from : {NodeId{3}, NodeId{0}, NodeId{1}}) {
    timeline.receive(TimedEvent::make(Picoseconds(70), EventKind::kRequestArrives, 0, from + 1U));
  }
  timeline.schedule(Picoseconds(70), EventKind::kMemoryEffect, 0, 0);
  cluster.pass(Picoseconds(71));
  std::vector<std::uint32_t> tags;
  for (const auto& [time, tag_and_kind] : cluster.nodes[2]->seen()) {
    if (time == 70) tags.push_back(tag_and_kind >> 8);
  }
  ASSERT_GE(tags.size(), 4U);
  EXPECT_EQ(std::vector<std::uint32_t>(tags.begin(), tags.begin() + 4),
            (std::vector<std::uint32_t>{0, 1, 2, 4}));
}

TEST(Windows, SomebodyLooksAfterEachAndNoneBeginsBeforeTheNextEvent) {
  TestCluster cluster(2);
  cluster.windows->set(kLookAhead, Windows::Order::kByNode, 1);
  cluster.nodes[0]->timeline().schedule(Picoseconds(50'000), EventKind::kMemoryEffect, 0, 0);
  cluster.pass(Picoseconds(60'000));
  ASSERT_GE(cluster.ends.size(), 2U);
  EXPECT_EQ(cluster.ends[0], kLookAhead) << "the cores begin at once";
  EXPECT_EQ(cluster.ends[1], Picoseconds(51'000)) << "time without events is skipped";
  EXPECT_TRUE(std::ranges::is_sorted(cluster.ends));
}

TEST(Windows, AnErrorOfAnyThreadReachesTheCaller) {
  for (const unsigned threads : {1U, 2U, 3U}) {
    TestCluster cluster(6);
    cluster.windows->set(kLookAhead, Windows::Order::kByNode, threads);
    cluster.add_events();
    cluster.nodes[5]->throw_from(kEnd / 2);
    EXPECT_THROW(cluster.pass(kEnd), std::runtime_error) << threads;
  }
}

TEST(Windows, TheFirstErrorByTimeCountsOfThoseInOneWindow) {
  for (const unsigned threads : {1U, 2U, 3U}) {
    TestCluster cluster(6);
    cluster.windows->set(to_picoseconds(100_ns), Windows::Order::kByNode, threads);
    cluster.nodes[1]->end_core_at(520_ns);
    cluster.nodes[4]->end_core_at(510_ns);
    EXPECT_EQ(cluster.pass(to_picoseconds(kMicrosecond)), Windows::Progress::kFailed);
    try {
      std::rethrow_exception(cluster.windows->take_exception());
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "4");
    }
    EXPECT_EQ(cluster.windows->take_exception(), nullptr);
  }
}

}  // namespace
}  // namespace verbena::simnic
