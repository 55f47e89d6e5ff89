// The NIC's and the driver's stations: what each of them does to rates and latencies.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;
using Settings = std::vector<std::pair<std::string, std::string>>;

SimOptions with(const Settings& settings, std::uint32_t cores = 1) {
  SimOptions options;
  options.cores_per_node = cores;
  for (const auto& [key, value] : settings) options.overrides.set(key, value);
  return options;
}

/// A core posts `rounds` requests to `qp`, keeps `window` of them in flight, and returns how long
/// that took.
Nanoseconds stream(Core& core, ibv_qp* qp, ibv_cq* cq, ibv_send_wr wr, int rounds, int window) {
  const Nanoseconds start = core.now();
  int posted = 0;
  for (int done = 0; done < rounds;) {
    for (; posted < rounds && posted - done < window; ++posted) EXPECT_EQ(post(qp, wr), 0);
    ibv_wc wc[16];
    const int count = ibv_poll_cq(cq, 16, wc);
    done += count;
    if (count == 0) core.idle(kNever);
  }
  return core.now() - start;
}

/// READs of one core over one connection: ns each.
double ns_per_read(const Settings& settings, std::uint32_t bytes = 8, int window = 16) {
  VerbsCluster cluster(with(settings));
  const auto [qp, peer] = cluster.connected(0, 1);
  ibv_sge to = cluster.node(0).piece(0, bytes);
  Nanoseconds took = 0;
  cluster.run({{0, [&, qp = qp](Core& core) {
                  took = stream(core, qp, cluster.node(0).cq, read_request(&to, cluster.node(1), 0),
                                2'000, window);
                }}});
  return static_cast<double>(took.count()) / 2'000;
}

/// How several cores of one node, each with a completion queue and queue pairs of its own, fare
/// together.
struct Contest {
  VerbsCluster cluster;
  std::vector<ibv_cq*> queues;
  std::vector<ibv_td*> domains;
  std::vector<ibv_pd*> parents;
  std::vector<ibv_qp*> own;

  Contest(const SimOptions& options, std::uint32_t cores, bool thread_domains) : cluster(options) {
    VerbsNode& node = cluster.node(0);
    ibv_pd* const pd = node.pd;
    for (std::uint32_t i = 0; i < cores; ++i) {
      queues.push_back(node.verbs->create_cq(node.context, 256, nullptr, nullptr, 0));
      if (thread_domains) {
        ibv_td_init_attr td{};
        domains.push_back(node.verbs->alloc_td(node.context, &td));
        ibv_parent_domain_init_attr parent{};
        parent.pd = pd;
        parent.td = domains.back();
        parents.push_back(node.verbs->alloc_parent_domain(node.context, &parent));
        node.pd = parents.back();
      }
      own.push_back(cluster.create(0, {.send_cq = queues[i], .receive_cq = queues[i]}));
      node.pd = pd;
      cluster.connect(0, own.back(), 1, cluster.create(1));
    }
  }
  ~Contest() {
    VerbsNode& node = cluster.node(0);
    cluster.destroy_queue_pairs();
    for (ibv_cq* cq : queues) EXPECT_EQ(node.verbs->destroy_cq(cq), 0);
    for (ibv_pd* pd : parents) EXPECT_EQ(node.verbs->dealloc_pd(pd), 0);
    for (ibv_td* td : domains) EXPECT_EQ(node.verbs->dealloc_td(td), 0);
  }
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  /// READs per microsecond of all cores, core i over its own queue pair.
  double rate() {
    constexpr int kReads = 1'000;
    Nanoseconds end = 0;
    ibv_sge to = cluster.node(0).piece(0, 8);
    std::vector<std::pair<NodeId, std::function<void(Core&)>>> bodies;
    for (std::size_t i = 0; i < own.size(); ++i) {
      bodies.emplace_back(0, [&, i](Core& core) {
        stream(core, own[i], queues[i], read_request(&to, cluster.node(1), 0), kReads, 8);
        end = std::max(end, core.now());
      });
    }
    cluster.run(bodies);
    return 1e3 * kReads * static_cast<double>(own.size()) / static_cast<double>(end.count());
  }
};

TEST(DoorbellLocks, CoresThatShareRegistersSlowEachOtherDownTheMoreTheMoreTheyAre) {
  const Settings registers = {{"nic.doorbell_registers", "5"},
                              {"nic.private_doorbell_registers", "4"}};
  // Four queue pairs have a register each; the others share one.
  const double alone = Contest(with(registers, 4), 4, false).rate();
  const double two = Contest(with(registers, 6), 6, false).rate();
  const double eight = Contest(with(registers, 12), 12, false).rate();
  EXPECT_LT(two, 1.5 * alone);
  EXPECT_LT(eight, two) << "more cores do less";
}

TEST(DoorbellLocks, ThreadDomainsHaveRegistersOfTheirOwn) {
  const Settings registers = {{"nic.doorbell_registers", "5"},
                              {"nic.private_doorbell_registers", "4"}};
  const double sharing = Contest(with(registers, 12), 12, false).rate();
  Contest contest(with(registers, 12), 12, true);
  EXPECT_GT(contest.rate(), 1.8 * sharing);
  EXPECT_EQ(contest.cluster.counter(0, "locked_doorbells"), 0U);
}

TEST(ThreadDomains, AreAsManyAsTheContextHasRegistersFor) {
  VerbsCluster cluster(with({{"nic.thread_doorbell_registers", "2"}}));
  VerbsNode& node = cluster.node(0);
  ibv_td_init_attr init{};
  ibv_td* first = node.verbs->alloc_td(node.context, &init);
  ibv_td* second = node.verbs->alloc_td(node.context, &init);
  ASSERT_NE(second, nullptr);
  errno = 0;
  EXPECT_EQ(node.verbs->alloc_td(node.context, &init), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(node.verbs->dealloc_td(first), 0);
  first = node.verbs->alloc_td(node.context, &init);
  EXPECT_NE(first, nullptr) << "what was given back is there again";
  EXPECT_EQ(node.verbs->dealloc_td(first), 0);
  EXPECT_EQ(node.verbs->dealloc_td(second), 0);
}

TEST(ThreadDomains, OfOneContextLeaveThoseOfAnotherAlone) {
  VerbsCluster cluster(with({{"nic.thread_doorbell_registers", "1"}}));
  VerbsNode& node = cluster.node(0);
  ibv_context* other = node.verbs->open_device(node.context->device);
  ibv_td_init_attr init{};
  ibv_td* first = node.verbs->alloc_td(node.context, &init);
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(node.verbs->alloc_td(node.context, &init), nullptr);
  ibv_td* second = node.verbs->alloc_td(other, &init);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(node.verbs->alloc_td(other, &init), nullptr);
  EXPECT_EQ(node.verbs->dealloc_td(first), 0);
  EXPECT_EQ(node.verbs->dealloc_td(second), 0);
  EXPECT_EQ(node.verbs->close_device(other), 0);
}

TEST(ThreadDomains, StayWhileAParentDomainHasThem) {
  VerbsCluster cluster;
  VerbsNode& node = cluster.node(0);
  ibv_td_init_attr init{};
  ibv_td* domain = node.verbs->alloc_td(node.context, &init);
  ibv_parent_domain_init_attr attributes{};
  errno = 0;
  EXPECT_EQ(node.verbs->alloc_parent_domain(node.context, &attributes), nullptr);
  EXPECT_EQ(errno, EINVAL) << "of no protection domain";
  attributes.pd = node.pd;
  attributes.td = domain;
  ibv_pd* parent = node.verbs->alloc_parent_domain(node.context, &attributes);
  ASSERT_NE(parent, nullptr);
  EXPECT_EQ(node.verbs->dealloc_td(domain), EBUSY);
  EXPECT_EQ(node.verbs->dealloc_pd(node.pd), EBUSY);
  EXPECT_EQ(node.verbs->dealloc_pd(parent), 0);
  EXPECT_EQ(node.verbs->dealloc_td(domain), 0);
}

/// READs per microsecond of `cores` cores that all post to one queue pair.
double shared_queue_pair_rate(std::uint32_t cores) {
  VerbsCluster cluster(with({}, cores));
  const auto [qp, peer] = cluster.connected(0, 1, {.send_depth = 512});
  ibv_sge to = cluster.node(0).piece(0, 8);
  constexpr int kReads = 200;
  Nanoseconds end = 0;
  std::vector<std::pair<NodeId, std::function<void(Core&)>>> bodies;
  for (std::uint32_t i = 0; i < cores; ++i) {
    bodies.emplace_back(0, [&, qp = qp](Core& core) {
      for (int k = 0; k < kReads; ++k) {
        const ibv_send_wr wr = read_request(&to, cluster.node(1), 0);
        while (post(qp, wr) == ENOMEM) {
          ibv_wc wc[64];
          ibv_poll_cq(cluster.node(0).cq, 64, wc);
          core.idle(core.now() + 500_ns);
        }
        core.idle(core.now());  // so that the cores' posts alternate
      }
      end = std::max(end, core.now());
    });
  }
  cluster.run(bodies);
  EXPECT_EQ(cluster.counter(0, "locked_queue_pairs") > 0, cores > 1);
  return 1e3 * kReads * cores / static_cast<double>(end.count());
}

TEST(QueuePairLocks, CoresThatShareAQueuePairDoLessThanOneAlone) {
  const double one = shared_queue_pair_rate(1);
  const double two = shared_queue_pair_rate(2);
  const double eight = shared_queue_pair_rate(8);
  EXPECT_LT(two, one);
  EXPECT_LT(eight, two);
}

TEST(Sockets, ACoreFarFromTheNicWaitsLonger) {
  VerbsCluster cluster(with({{"cpu.cores_per_socket", "1"}}, 2));
  const auto [near, near_peer] = cluster.connected(0, 1);
  const auto [far, far_peer] = cluster.connected(0, 1);
  ibv_sge to = cluster.node(0).piece(0, 8);
  ibv_cq* cq = cluster.node(0).cq;
  Nanoseconds times[2] = {};
  const auto body = [&](int index, ibv_qp* qp, Nanoseconds begin) {
    return [&, index, qp, begin](Core& core) {
      while (core.now() < begin) core.idle(begin);
      stream(core, qp, cq, read_request(&to, cluster.node(1), 0), 1, 1);
      times[index] = stream(core, qp, cq, read_request(&to, cluster.node(1), 0), 1, 1);
    };
  };
  cluster.run({{0, body(0, near, 0)}, {0, body(1, far, 50'000_ns)}});
  EXPECT_NEAR(static_cast<double>((times[1] - times[0]).count()), 2 * 106, 2)
      << "the doorbell's way and the completion's";
}

/// Time that posting a READ costs core 0 of a node with one core per socket, of `cores` that run.
Nanoseconds post_cost(std::uint32_t cores) {
  VerbsCluster cluster(with({{"cpu.cores_per_socket", "1"}}, cores));
  const auto [qp, peer] = cluster.connected(0, 1);
  ibv_sge to = cluster.node(0).piece(0, 8);
  Nanoseconds cost = 0;
  std::vector<std::pair<NodeId, std::function<void(Core&)>>> bodies;
  bodies.emplace_back(0, [&, qp = qp](Core& core) {
    const Nanoseconds start = core.now();
    EXPECT_EQ(post(qp, read_request(&to, cluster.node(1), 0)), 0);
    cost = core.now() - start;
  });
  for (std::uint32_t i = 1; i < cores; ++i) bodies.emplace_back(0, [](Core&) {});
  cluster.run(bodies);
  return cost;
}

TEST(HardwareThreads, ThatShareACoreAreSlower) {
  EXPECT_EQ(post_cost(2), post_cost(1)) << "a core each";
  EXPECT_NEAR(static_cast<double>(post_cost(3).count()),
              1.9 * static_cast<double>(post_cost(1).count()), 2);
}

TEST(RequestState, MoreRequestsThanTheNicRemembersCostItDmaReads) {
  const Settings small = {{"nic.wqe_cache_entries", "10"}, {"nic.wqe_miss_stall_ns", "500"}};
  EXPECT_GT(ns_per_read(small), 1.5 * ns_per_read({}));
  VerbsCluster cluster(with(small));
  const auto [qp, peer] = cluster.connected(0, 1);
  ibv_sge to = cluster.node(0).piece(0, 8);
  cluster.run({{0, [&, qp = qp](Core& core) {
                  const ibv_send_wr wr = read_request(&to, cluster.node(1), 0);
                  stream(core, qp, cluster.node(0).cq, wr, 500, 4);
                  EXPECT_EQ(cluster.counter(0, "wqe_cache_misses"), 0U);
                  stream(core, qp, cluster.node(0).cq, wr, 500, 16);
                  EXPECT_GT(cluster.counter(0, "wqe_cache_misses"), 100U);
                }}});
}

/// Misses of queue pairs' state on node 0 for each of the READs of one core over 16 connections, of
/// which the NIC keeps 4, with `window` in flight on each.
double state_misses(int window) {
  VerbsCluster cluster(with({{"nic.qp_cache_entries", "4"}, {"nic.qp_miss_stall_ns", "1000"}}));
  VerbsNode& a = cluster.node(0);
  constexpr int kPairs = 16;
  constexpr int kReads = 3200;
  std::vector<ibv_qp*> pairs;
  pairs.reserve(kPairs);
  for (int i = 0; i < kPairs; ++i) pairs.push_back(cluster.connected(0, 1).first);
  cluster.run({{0, [&](Core& core) {
                  ibv_sge to = a.piece(0, 8);
                  int posted = 0;
                  for (int done = 0; done < kReads; ++done) {
                    for (; posted < kReads && posted - done < kPairs * window; ++posted) {
                      const ibv_send_wr wr = read_request(&to, cluster.node(1), 0);
                      ASSERT_EQ(post(pairs[static_cast<std::size_t>(posted % kPairs)], wr), 0);
                    }
                    await(core, a.cq);
                  }
                }}});
  return static_cast<double>(cluster.counter(0, "qp_cache_misses")) / kReads;
}

TEST(QueuePairState, ServesAllRequestsThatWaitForTheirTurn) {
  EXPECT_LT(state_misses(8), 0.8 * state_misses(1));
}

/// Packets that node 1 sends for each of a core's WRITEs on a port that is slower than the core.
double acknowledgements(bool one_queue_pair) {
  VerbsCluster cluster(with({{"nic.port_gbps", "1"}}));
  VerbsNode& b = cluster.node(1);
  // Data that the other direction carries keeps node 1's port busy.
  const auto [write, write_peer] = cluster.connected(0, 1);
  const auto [other, other_peer] = cluster.connected(0, 1);
  const auto [read, read_peer] = cluster.connected(0, 1);
  constexpr int kWrites = 200;
  std::uint64_t packets = 0;
  cluster.run({{0, [&, write = write, other = other, read = read](Core& core) {
                  VerbsNode& a = cluster.node(0);
                  ibv_sge small = a.piece(0, 8);
                  ibv_sge large = a.piece(4096, 32'768);
                  const std::uint64_t before = cluster.counter(1, "wire_packets");
                  ASSERT_EQ(post(read, read_request(&large, b, 0)), 0);
                  for (int i = 0; i < kWrites; ++i) {
                    ibv_qp* qp = one_queue_pair || i % 2 == 0 ? write : other;
                    ASSERT_EQ(post(qp, write_request(&small, b, 0)), 0);
                    if (i >= 32) await(core, a.cq);
                  }
                  await(core, a.cq, 33);
                  packets = cluster.counter(1, "wire_packets") - before;
                }}});
  return (static_cast<double>(packets) - 8) / kWrites;
}

TEST(Acknowledgements, OfOneQueuePairThatWaitForThePortAreOne) {
  EXPECT_LT(acknowledgements(true), 0.9);
  EXPECT_GT(acknowledgements(true), 0.02);
  EXPECT_GT(acknowledgements(false), acknowledgements(true)) << "queue pairs have their own";
}

TEST(BusyQueues, ARequestBehindAnotherOfItsQueuePairIsNoticedLater) {
  const auto second_takes = [](bool same_queue_pair) {
    VerbsCluster cluster;
    const auto [a, a_peer] = cluster.connected(0, 1);
    const auto [b, b_peer] = cluster.connected(0, 1);
    ibv_sge to = cluster.node(0).piece(0, 8);
    Nanoseconds took = 0;
    cluster.run({{0, [&, a = a, b = b](Core& core) {
                    const ibv_send_wr wr = read_request(&to, cluster.node(1), 0);
                    for (ibv_qp* qp : {a, b}) {  // so that the NIC knows both
                      ASSERT_EQ(post(qp, wr), 0);
                      await(core, cluster.node(0).cq);
                    }
                    const Nanoseconds start = core.now();
                    ASSERT_EQ(post(a, wr), 0);
                    ASSERT_EQ(post(same_queue_pair ? a : b, wr), 0);
                    await(core, cluster.node(0).cq, 2);
                    took = core.now() - start;
                  }}});
    return took;
  };
  EXPECT_GT(second_takes(true), second_takes(false) + 400_ns);
}

TEST(ProcessingUnits, OneQueuePairIsServedByOneOfThem) {
  const Settings slow = {
      {"nic.requester_read_ns", "1000"}, {"nic.completion_ns", "0"}, {"nic.result_write_ns", "0"}};
  EXPECT_NEAR(ns_per_read(slow), 1'000, 50);
  Contest many(with(slow, 4), 4, true);
  EXPECT_GT(many.rate(), 3.0);
}

TEST(ProcessingUnits, LongMessagesTakeFurtherTime) {
  const Settings chunks = {{"nic.processing_chunk_bytes", "256"},
                           {"nic.processing_chunk_ns", "1000"}};
  const double short_read = ns_per_read(chunks, 256);
  EXPECT_GT(ns_per_read(chunks, 264), short_read + 500);
  EXPECT_LT(short_read, ns_per_read({}, 256) + 20);
}

TEST(AddressTranslation, SmallPagesOfMuchMemoryMiss) {
  const auto misses = [](const char* page_bytes) {
    VerbsCluster cluster(with({{"nic.page_bytes", page_bytes}, {"nic.mtt_cache_entries", "4"}}));
    const auto [qp, peer] = cluster.connected(0, 1);
    ibv_sge to = cluster.node(0).piece(0, 8);
    cluster.run({{0, [&, qp = qp](Core& core) {
                    for (std::size_t i = 0; i < 64; ++i) {
                      ASSERT_EQ(post(qp, read_request(&to, cluster.node(1), i % 16 * 4096)), 0);
                      await(core, cluster.node(0).cq);
                    }
                  }}});
    return cluster.counter(1, "mtt_cache_misses");
  };
  EXPECT_GT(misses("4096"), 20U);
  EXPECT_LE(misses("2097152"), 2U);
  EXPECT_THROW(misses("5000"), ConfigurationError);
}

TEST(Atomics, OfSomeNicsHoldUpEverythingElse) {
  const auto reads_take = [](const char* blocks) {
    VerbsCluster cluster(with({{"nic.atomic_blocks", blocks}, {"nic.atomic_hold_ns", "2000"}}, 2));
    VerbsNode& a = cluster.node(0);
    ibv_cq* other = a.verbs->create_cq(a.context, 256, nullptr, nullptr, 0);
    const auto [reads, reads_peer] = cluster.connected(0, 1);
    const auto [adds, adds_peer] = cluster.connected(0, 1, {.send_cq = other, .receive_cq = other});
    ibv_sge to = a.piece(0, 8);
    ibv_sge found = a.piece(64, 8);
    Nanoseconds took = 0;
    cluster.run(
        {{0,
          [&, reads = reads](Core& core) {
            took = stream(core, reads, a.cq, read_request(&to, cluster.node(1), 64), 500, 8);
          }},
         {0, [&, adds = adds](Core& core) {
            stream(core, adds, other, fetch_and_add_request(&found, cluster.node(1), 0, 1), 200, 8);
          }}});
    cluster.destroy_queue_pairs();
    EXPECT_EQ(a.verbs->destroy_cq(other), 0);
    return took;
  };
  EXPECT_GT(reads_take("1"), 2 * reads_take("0"));
}

TEST(RequestFetch, OneDmaReadBringsSeveralRequestsOfADoorbell) {
  const auto bytes_read = [](const char* burst) {
    VerbsCluster cluster(with({{"nic.wqe_fetch_burst", burst}}));
    const auto [qp, peer] = cluster.connected(0, 1);
    ibv_sge to = cluster.node(0).piece(0, 8);
    cluster.run({{0, [&, qp = qp](Core& core) {
                    ibv_send_wr chain[8];
                    for (int i = 0; i < 8; ++i) {
                      chain[i] = read_request(&to, cluster.node(1), 0);
                      chain[i].next = i < 7 ? &chain[i + 1] : nullptr;
                    }
                    ibv_send_wr* bad = nullptr;
                    ASSERT_EQ(ibv_post_send(qp, chain, &bad), 0);
                    await(core, cluster.node(0).cq, 8);
                  }}});
    return cluster.counter(0, "pcie_read_bytes");
  };
  // Seven request headers less, and completions of 128 B instead of 64.
  EXPECT_EQ(bytes_read("1") - bytes_read("8"), 7U * 26 + 4 * 22);
}

TEST(Datagrams, AreReceivedBesideWhatIsSent) {
  // Two nodes send to each other; a unit that did both would take the sum.
  const Settings slow = {{"nic.processing_units", "1"},
                         {"nic.requester_send_ns", "1000"},
                         {"nic.responder_send_ns", "1000"}};
  VerbsCluster cluster(with(slow));
  ibv_qp* ends[2] = {cluster.datagram(0), cluster.datagram(1)};
  ibv_ah* ways[2] = {cluster.address_handle(0, 1), cluster.address_handle(1, 0)};
  Nanoseconds end = 0;
  const auto body = [&](std::size_t own) {
    return [&, own](Core& core) {
      ibv_sge from = cluster.node(own).piece(0, 16);
      ibv_send_wr wr = send_request(&from);
      wr.wr.ud.ah = ways[own];
      wr.wr.ud.remote_qpn = ends[1 - own]->qp_num;
      wr.wr.ud.remote_qkey = VerbsCluster::kQkey;
      for (int i = 0; i < 60; ++i) {
        ASSERT_EQ(post_receive(ends[own], cluster.node(own).piece(1024, 64)), 0);
      }
      core.idle(1'000_ns);
      for (int i = 0; i < 60; ++i) ASSERT_EQ(post(ends[own], wr), 0);
      await(core, cluster.node(own).cq, 120);
      end = std::max(end, core.now());
    };
  };
  cluster.run({{0, body(0)}, {1, body(1)}});
  EXPECT_LT(end, 60 * 1'400_ns);
}

TEST(Ethernet, PortsSaySo) {
  const auto port_of = [](const char* nic) {
    SimOptions options;
    options.nic_profile = nic;
    return VerbsCluster(options).node(0).port;
  };
  EXPECT_EQ(port_of("connectx-4").link_layer, IBV_LINK_LAYER_INFINIBAND);
  EXPECT_EQ(port_of("connectx-4-roce").link_layer, IBV_LINK_LAYER_ETHERNET);
  EXPECT_EQ(port_of("connectx-4-roce").active_mtu, IBV_MTU_1024);
}

TEST(Profiles, NamesOfAllNicsLoadWithTheirNetwork) {
  for (const std::string& name : built_in_profiles("nic")) {
    const NicProfile nic = load_nic_profile(name, {});
    EXPECT_NO_THROW(load_fabric_profile(nic.fabric, {})) << name;
  }
  for (const std::string& name : built_in_profiles("cpu")) {
    EXPECT_NO_THROW(load_cpu_profile(name, {})) << name;
  }
}

}  // namespace
}  // namespace verbena::simnic
