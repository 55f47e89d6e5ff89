// An observer is told what the model charges: all of a lone request's time, to the picosecond.
#include "simnic/observe/observer.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

/// Adds up what it is told between `start` and `stop`.
class Recorder final : public Observer {
 public:
  void start() {
    recording_ = true;
    stages = 0;
    charged = first_ = last_ = 0;
    free_.clear();
  }
  void stop() { recording_ = false; }

  void begin(Stage, const RequestIdentity&, Picoseconds time) override {
    if (!recording_) return;
    if (stages++ == 0) first_ = time;
    EXPECT_TRUE(stages == 1 || time >= last_) << "stages of a lone request follow each other";
    idle += stages == 1 ? 0 : time - last_;
    begun_ = time;
    latency_ = 0;
  }
  void visit(const Visit& visit) override {
    if (!recording_) return;
    latency_ += visit.latency;
    visits[visit.station] += visit.latency;
    const bool queued = visit.resource != Resource::kNone && visit.resource != Resource::kCore &&
                        visit.resource != Resource::kAtomicSlot;
    if (!queued) return;
    Picoseconds& free = free_[{visit.resource, visit.number, visit.part}];
    EXPECT_GE(visit.begin, free) << "a unit serves one at a time";
    free = visit.begin + visit.service;
  }
  void end(Picoseconds wait, Picoseconds ready, Picoseconds time) override {
    if (!recording_) return;
    EXPECT_EQ(begun_ + latency_ + wait, ready) << "stage " << stages;
    EXPECT_GE(time, ready);
    charged += latency_ + wait + (time - ready);
    last_ = time;
  }
  void name_link(std::uint32_t number, const std::string& name) override {
    EXPECT_TRUE(link_names.emplace(number, name).second);
  }
  void core_ran(NodeId, WorkerId, Picoseconds from, Picoseconds to) override {
    EXPECT_LE(from, to);
    EXPECT_GE(from, core_free_);
    core_free_ = to;
  }
  void on_core(NodeId node, WorkerId) override { EXPECT_EQ(node, 0); }

  Picoseconds elapsed() const { return last_ - first_; }

  int stages = 0;
  Picoseconds charged = 0;
  Picoseconds idle = 0;
  std::map<Station, Picoseconds> visits;
  std::map<std::uint32_t, std::string> link_names;

 private:
  bool recording_ = false;
  Picoseconds first_ = 0;
  Picoseconds last_ = 0;
  Picoseconds begun_ = 0;
  Picoseconds latency_ = 0;
  Picoseconds core_free_ = 0;
  std::map<std::tuple<Resource, std::uint32_t, std::uint32_t>, Picoseconds> free_;
};

struct Case {
  const char* name;
  ibv_wr_opcode opcode;
  std::uint32_t bytes;
  bool inlined;
  bool warm;
  bool blueflame;
};

class Observation : public ::testing::TestWithParam<Case> {};

TEST_P(Observation, WhatIsToldSumsUpToTheTimeThatALoneRequestTakes) {
  const Case& test = GetParam();
  Recorder recorder;
  SimOptions options;
  options.observer = &recorder;
  options.topology = "fat-tree:2;1,2;1,1;1,1";
  if (!test.blueflame) options.overrides.set("nic.blueflame_bytes", "0");
  VerbsCluster cluster(options);
  const auto [qp, peer] = cluster.connected(0, 1, {.max_inline = 256});
  VerbsNode& a = cluster.node(0);
  Nanoseconds took = 0;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  ibv_sge piece = a.piece(0, test.bytes);
                  ibv_send_wr wr = read_request(&piece, cluster.node(1), 64);
                  wr.opcode = test.opcode;
                  if (test.opcode >= IBV_WR_ATOMIC_CMP_AND_SWP) {
                    wr = fetch_and_add_request(&piece, cluster.node(1), 64, 1);
                  }
                  if (test.inlined) wr.send_flags |= IBV_SEND_INLINE;
                  for (int round = test.warm ? 0 : 1; round < 2; ++round) {
                    core.idle(core.now() + 10'000_ns);
                    if (round == 1) recorder.start();
                    const Nanoseconds start = core.now();
                    ASSERT_EQ(post(qp, wr), 0);
                    ASSERT_EQ(await(core, a.cq).front().status, IBV_WC_SUCCESS);
                    took = core.now() - start;
                  }
                  recorder.stop();
                }}});
  EXPECT_EQ(recorder.stages, 6);
  EXPECT_EQ(recorder.idle, Picoseconds()) << "the core sees the completion at once";
  EXPECT_EQ(recorder.charged, recorder.elapsed());
  EXPECT_NEAR(static_cast<double>(recorder.elapsed().count()) / 1e3,
              static_cast<double>(took.count()), 1);
  EXPECT_EQ(recorder.visits[Station::kQueuePairState] == 0, test.warm);
  EXPECT_EQ(recorder.visits[Station::kWqeFetch] == 0, test.blueflame);
  EXPECT_EQ(recorder.link_names.size(), 8U) << "two levels up and down, there and back";
}

INSTANTIATE_TEST_SUITE_P(
    Requests, Observation,
    ::testing::Values(Case{"Read", IBV_WR_RDMA_READ, 64, false, true, true},
                      Case{"LongRead", IBV_WR_RDMA_READ, 9000, false, true, true},
                      Case{"FirstRead", IBV_WR_RDMA_READ, 64, false, false, true},
                      Case{"ReadByDoorbell", IBV_WR_RDMA_READ, 64, false, true, false},
                      Case{"Write", IBV_WR_RDMA_WRITE, 4096, false, true, true},
                      Case{"InlineWrite", IBV_WR_RDMA_WRITE, 64, true, true, true},
                      Case{"FirstWriteByDoorbell", IBV_WR_RDMA_WRITE, 64, false, false, false},
                      Case{"Atomic", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, false, true, true},
                      Case{"FirstAtomic", IBV_WR_ATOMIC_FETCH_AND_ADD, 8, false, false, true}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace verbena::simnic
