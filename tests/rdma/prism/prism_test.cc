// Chains that a server's cores or its NIC carry out: what they do, in the presence of others, and
// what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/prism/chain_server.h"
#include "rdma/prism/prism_batch.h"
#include "tests/rdma/chain/reference_model.h"
#include "tests/support/test_fabric.h"

namespace verbena::rdma {
namespace {

using testing::by_fabric;
using testing::Cluster;
using testing::FabricShape;
using Where = Place::Where;

constexpr NodeId kServer = 0;
constexpr std::uint64_t kBytes = 1024;
constexpr std::uint64_t kFirstBuffer = 512;

/// A way of chains, and what disturbs them.
struct Carrier {
  const char* name;
  bool nic = false;
  bool chaos = false;
  const char* rc_loss = "0";
};

std::ostream& operator<<(std::ostream& out, const Carrier& carrier) { return out << carrier.name; }

FabricShape shape_for(const Carrier& carrier, std::uint32_t nodes, std::uint32_t workers) {
  FabricShape shape{.nodes = nodes, .workers = workers};
  if (testing::on_hardware()) return shape;
  shape.chaos = carrier.chaos;
  shape.overrides["fabric.rc_loss"] = carrier.rc_loss;
  return shape;
}

EndpointOptions options_for(const FabricShape& shape, const Carrier& carrier) {
  EndpointOptions options = testing::options_for(shape);
  if (carrier.nic) options.prism = PrismMode::kNic;
  return options;
}

/// A cluster whose node 0 serves chains on a region that begins as `memory`.
class PrismCluster {
 public:
  PrismCluster(const FabricShape& shape, const Carrier& carrier, std::vector<std::byte> memory)
      : server_(shape.workers),
        cluster_(shape, options_for(shape, carrier), [&](Endpoint& endpoint) {
          endpoint.add_region("objects", memory.size(),
                              [memory](std::uint64_t offset, std::span<std::byte> page) {
                                std::memcpy(page.data(), memory.data() + offset, page.size());
                              });
        }) {
    server_.add_memory(region());
    cluster_.endpoint(kServer).serve_chains(server_);
  }

  ChainServer& server() { return server_; }
  Cluster& cluster() { return cluster_; }
  Region& region() { return cluster_.endpoint(kServer).region(0); }

  void spawn(NodeId node, WorkerId worker, std::function<void(Worker&)> body) {
    Worker& on = cluster_.worker(node, worker);
    on.spawn([&on, body = std::move(body)] { body(on); });
  }

  std::vector<std::byte> memory() {
    const std::byte* at = region().at(0, region().size());
    return {at, at + region().size()};
  }
  std::uint64_t word(std::uint64_t offset) {
    std::uint64_t value = 0;
    std::memcpy(&value, region().at(offset, 8), 8);
    return value;
  }

 private:
  ChainServer server_;
  Cluster cluster_;
};

/// By cores and by NICs.
class Chains : public ::testing::TestWithParam<Carrier> {
 protected:
  void SetUp() override {
    if (GetParam().nic && testing::on_hardware()) GTEST_SKIP() << "no device carries out chains";
  }
  static FabricShape shape(std::uint32_t nodes, std::uint32_t workers) {
    return shape_for(GetParam(), nodes, workers);
  }
};

/// By cores, to which an error of a chain is one of that chain alone.
class CalledChains : public Chains {};

std::vector<testing::ModelResult> results_of(const PrismBatch& batch,
                                             const std::vector<OpId>& operations) {
  std::vector<testing::ModelResult> results;
  for (const OpId operation : operations) {
    const auto data = batch.data(operation);
    results.push_back(
        {batch.outcome(operation), batch.length(operation), {data.begin(), data.end()}});
  }
  return results;
}

/// True if the model says that an operation of `chain` is an error.
bool fails(const testing::RandomChain& chain, testing::ModelServer model) {
  Scratch scratch{};
  const auto results = testing::carry_out(chain.operations, model, scratch);
  return std::ranges::any_of(results, [](const auto& one) { return is_error(one.outcome); });
}

TEST_P(Chains, DoWhatThePlainModelDoes) {
  std::mt19937_64 random(7);
  testing::ModelServer model{testing::draw_memory(random, kBytes), {}, 64};
  PrismCluster prism(shape(2, 1), GetParam(), model.memory);
  const FreeListId list = prism.server().add_free_list(0, kFirstBuffer, 64, 8);
  for (std::uint64_t i = 0; i < 8; ++i) {
    model.free_buffers.push_back(kFirstBuffer + 64 * i);
    prism.server().free_list(list).post_new(kFirstBuffer + 64 * i);
  }
  int errors = 0;
  prism.spawn(1, 0, [&](Worker& worker) {
    PrismBatch batch(worker.rpc());
    for (int i = 0; i < by_fabric(4000, 400); ++i) {
      const testing::RandomChain drawn = testing::draw_chain(random, kBytes, by_fabric(8U, 5U));
      // A NIC's connection does not survive it.
      if (GetParam().nic && fails(drawn, model)) continue;
      std::vector<OpId> operations;
      operations.reserve(drawn.operations.size());
      const ChainId chain = batch.chain(kServer, 0);
      for (const Operation& operation : drawn.operations) {
        operations.push_back(batch.add(chain, operation));
      }
      batch.post();
      try {
        batch.wait();
      } catch (const VerbsError&) {
        ++errors;
      }
      Scratch scratch{};
      ASSERT_EQ(results_of(batch, operations), testing::carry_out(drawn.operations, model, scratch))
          << "chain " << i;
      batch.clear();
    }
  });
  prism.cluster().run();
  EXPECT_EQ(prism.memory(), model.memory);
  if (GetParam().nic) {
    EXPECT_EQ(errors, 0);
  } else {
    EXPECT_GT(errors, by_fabric(400, 20));
  }
}

/// Everything that a client sees of a program of random chains, and the server's memory afterwards.
struct Observed {
  std::vector<std::vector<testing::ModelResult>> results;
  std::vector<std::byte> memory;
};

Observed carry_out_program(const Carrier& carrier) {
  std::mt19937_64 random(11);
  testing::ModelServer model{testing::draw_memory(random, kBytes), {}, 64};
  PrismCluster prism(shape_for(carrier, 2, 1), carrier, model.memory);
  const FreeListId list = prism.server().add_free_list(0, kFirstBuffer, 64, 8);
  for (std::uint64_t i = 0; i < 8; ++i) {
    model.free_buffers.push_back(kFirstBuffer + 64 * i);
    prism.server().free_list(list).post_new(kFirstBuffer + 64 * i);
  }
  Observed observed;
  prism.spawn(1, 0, [&](Worker& worker) {
    PrismBatch batch(worker.rpc());
    while (observed.results.size() < 1000) {
      const testing::RandomChain drawn = testing::draw_chain(random, kBytes, 8);
      if (fails(drawn, model)) continue;
      Scratch scratch{};
      testing::carry_out(drawn.operations, model, scratch);
      std::vector<OpId> operations;
      operations.reserve(drawn.operations.size());
      const ChainId chain = batch.chain(kServer, 0);
      for (const Operation& operation : drawn.operations) {
        operations.push_back(batch.add(chain, operation));
      }
      batch.post();
      batch.wait();
      observed.results.push_back(results_of(batch, operations));
      batch.clear();
    }
  });
  prism.cluster().run();
  observed.memory = prism.memory();
  return observed;
}

TEST(ChainsOfOneProgram, DoTheSameByCoresAndByNic) {
  if (testing::on_hardware()) GTEST_SKIP() << "no device carries out chains";
  const Observed by_cores = carry_out_program({.name = "cores"});
  for (const Carrier& carrier :
       {Carrier{.name = "NIC", .nic = true}, Carrier{.name = "chaos", .nic = true, .chaos = true},
        Carrier{.name = "losses", .nic = true, .rc_loss = "0.01"}}) {
    const Observed by_nic = carry_out_program(carrier);
    EXPECT_EQ(by_nic.results, by_cores.results) << carrier.name;
    EXPECT_EQ(by_nic.memory, by_cores.memory) << carrier.name;
  }
}

// Counters of 8, 16 and 32 B that overlap, each of which is added to by a compare-and-swap of all
// of its bytes: were two of them not exclusive, one would take the other's addition away.
TEST_P(Chains, CompareAndSwapsOfAllSizesExcludeEachOther) {
  constexpr std::uint32_t kClients = 3;
  constexpr std::uint32_t kWorkers = 2;
  PrismCluster prism(shape(1 + kClients, kWorkers), GetParam(), std::vector<std::byte>(kBytes));
  const int each = by_fabric(200, 50);
  for (NodeId node = 1; node <= kClients; ++node) {
    for (WorkerId id = 0; id < kWorkers; ++id) {
      prism.spawn(node, id, [&, node, id](Worker& worker) {
        PrismBatch batch(worker.rpc());
        const std::uint32_t client = (node - 1U) * kWorkers + id;
        const std::uint32_t words = client % 3 == 0 ? 1 : client % 3 == 1 ? 2 : 4;
        const std::uint32_t mine = client % words;
        for (int done = 0; done < each;) {
          CasArguments swap{.bytes = 8 * words, .offset = 64};
          swap.compare_mask.fill(~std::uint64_t{0});
          const OpId seen = batch.read(batch.chain(kServer, 0), {64}, 8 * words);
          batch.post();
          batch.wait();
          std::memcpy(swap.compare_words.data(), batch.data(seen).data(), 8 * words);
          batch.clear();
          swap.swap_words = swap.compare_words;
          ++swap.swap_words[mine];
          swap.swap_mask = swap.compare_mask;
          const OpId swapped = batch.compare_and_swap(batch.chain(kServer, 0), swap);
          batch.post();
          batch.wait();
          if (batch.outcome(swapped) == ChainOutcome::kDone) ++done;
          batch.clear();
        }
      });
    }
  }
  prism.cluster().run();
  std::uint64_t sum = 0;
  for (std::uint64_t at = 64; at < 96; at += 8) sum += prism.word(at);
  EXPECT_EQ(sum, std::uint64_t{kClients} * kWorkers * static_cast<std::uint64_t>(each));
}

// A pointer and its bound are replaced together: whoever follows them reads an object whole.
TEST_P(Chains, APointerAndItsBoundAreNeverMixed) {
  constexpr std::uint64_t kShort = 128;  // 24 B of ones
  constexpr std::uint64_t kLong = 256;   // 100 B of twos
  std::vector<std::byte> memory(kBytes);
  std::memset(memory.data() + kShort, 1, 24);
  std::memset(memory.data() + kLong, 2, 100);
  const std::array<std::uint64_t, 2> first{kShort, 24};
  std::memcpy(memory.data() + 64, first.data(), 16);
  PrismCluster prism(shape(3, 2), GetParam(), memory);
  const int rounds = by_fabric(500, 100);
  std::atomic<int> longs = 0;
  std::atomic<int> shorts = 0;
  prism.spawn(1, 0, [&](Worker& worker) {
    PrismBatch batch(worker.rpc());
    for (int i = 0; i < rounds; ++i) {
      CasArguments swap{.mode = CompareMode::kAlways, .bytes = 16, .offset = 64};
      swap.swap_words = i % 2 == 0 ? OperandWords{kLong, 100} : OperandWords{kShort, 24};
      swap.swap_mask.fill(~std::uint64_t{0});
      batch.compare_and_swap(batch.chain(kServer, 0), swap);
      batch.post();
      batch.wait();
      batch.clear();
    }
  });
  prism.spawn(2, 1, [&](Worker& worker) {
    PrismBatch batch(worker.rpc());
    for (int i = 0; i < rounds; ++i) {
      const OpId read = batch.read(batch.chain(kServer, 0),
                                   {.offset = 64, .indirect = true, .bounded = true}, 200);
      batch.post();
      batch.wait();
      const auto data = batch.data(read);
      ASSERT_TRUE(data.size() == 24 || data.size() == 100) << data.size();
      const std::byte wanted{data.size() == 100 ? std::uint8_t{2} : std::uint8_t{1}};
      for (const std::byte byte : data) ASSERT_EQ(byte, wanted);
      ++(data.size() == 100 ? longs : shorts);
      batch.clear();
    }
  });
  prism.cluster().run();
  EXPECT_GT(longs, 0);
  EXPECT_GT(shorts, 0);
}

TEST_P(Chains, ANewVersionIsInstalledInOneRoundTrip) {
  PrismCluster prism(shape(2, 1), GetParam(), std::vector<std::byte>(kBytes));
  const FreeListId list = prism.server().add_free_list(0, kFirstBuffer, 64, 4);
  prism.server().free_list(list).post_new(kFirstBuffer);
  const std::array<std::byte, 40> object{std::byte{7}};
  prism.spawn(1, 0, [&](Worker& worker) {
    PrismBatch batch(worker.rpc());
    for (const bool first : {true, false}) {
      const ChainId chain = batch.chain(kServer, 0);
      const OpId allocate = batch.allocate(chain, list, object);
      batch.redirect(allocate, {Where::kScratch, 0});
      CasArguments swap{.offset = 64, .swap = {Where::kScratch, 0}};
      swap.compare_mask.fill(~std::uint64_t{0});
      swap.swap_mask.fill(~std::uint64_t{0});
      const OpId swapped = batch.compare_and_swap(chain, swap);
      batch.conditional(swapped);
      batch.post();
      batch.wait();
      EXPECT_EQ(batch.outcome(allocate), first ? ChainOutcome::kDone : ChainOutcome::kNoBuffer);
      EXPECT_EQ(batch.outcome(swapped), first ? ChainOutcome::kDone : ChainOutcome::kSkipped);
      if (first) {
        EXPECT_EQ(batch.allocated(allocate), kFirstBuffer);
      } else {
        EXPECT_THROW(batch.allocated(allocate), std::logic_error);
      }
      batch.clear();
    }
    EXPECT_EQ(worker.counters().calls, GetParam().nic ? 0U : 2U);
  });
  prism.cluster().run();
  EXPECT_EQ(prism.word(64), kFirstBuffer);
  EXPECT_EQ(prism.word(kFirstBuffer), 7U);
}

TEST_P(CalledChains, ErrorsNameTheServerTheOperationAndWhatIsWrong) {
  PrismCluster prism(shape(2, 1), GetParam(), std::vector<std::byte>(kBytes));
  const FreeListId list = prism.server().add_free_list(0, kFirstBuffer, 64, 4);
  prism.server().free_list(list).post_new(kFirstBuffer);
  prism.spawn(1, 0, [&](Worker& worker) {
    PrismBatch batch(worker.rpc());
    const auto error = [&batch] {
      batch.post();
      try {
        batch.wait();
      } catch (const VerbsError& wrong) {
        batch.clear();
        return std::string(wrong.what());
      }
      return std::string("none");
    };
    const auto expect = [&error](const std::string& operation, const std::string& outcome) {
      const std::string text = error();
      EXPECT_NE(text.find("node 0"), std::string::npos) << text;
      EXPECT_NE(text.find(operation), std::string::npos) << text;
      EXPECT_NE(text.find(outcome), std::string::npos) << text;
    };
    batch.read(batch.chain(kServer, 0), {kBytes - 4}, 8);
    expect("READ of 8 B", "access error");
    batch.read(batch.chain(kServer, 5), {0}, 8);  // a region that nobody serves
    expect("READ of 8 B", "access error");
    batch.read(batch.chain(kServer, 0), {.offset = 0, .bounded = true}, 8);
    expect("READ of 8 B", "invalid request (bounded without a pointer)");
    batch.fetch_and_add(batch.chain(kServer, 0), 4, 1);
    expect("FETCH_AND_ADD of 8 B", "invalid request");
    const std::vector<std::byte> large(65);
    batch.allocate(batch.chain(kServer, 0), list, large);
    expect("ALLOCATE of 65 B", "length error");
    batch.allocate(batch.chain(kServer, 0), list + 1, std::span(large).first(8));
    expect("ALLOCATE of 8 B", "access error");
  });
  prism.cluster().run();
  EXPECT_EQ(prism.server().free_list(list).listed(), 1U);
}

TEST_P(CalledChains, AnErrorFlushesTheRestOfItsChainAndNoOther) {
  PrismCluster prism(shape(2, 1), GetParam(), std::vector<std::byte>(kBytes));
  prism.spawn(1, 0, [&](Worker& worker) {
    PrismBatch batch(worker.rpc());
    const ChainId bad = batch.chain(kServer, 0);
    const ChainId good = batch.chain(kServer, 0);
    const OpId before = batch.fetch_and_add(bad, 64, 1);
    const OpId error = batch.read(bad, {kBytes}, 8);
    const OpId after = batch.fetch_and_add(bad, 64, 1);
    const OpId other = batch.fetch_and_add(good, 64, 16);
    batch.post();
    EXPECT_THROW(batch.wait(), VerbsError);
    EXPECT_EQ(batch.outcome(before), ChainOutcome::kDone);
    EXPECT_EQ(batch.outcome(error), ChainOutcome::kAccessError);
    EXPECT_EQ(batch.outcome(after), ChainOutcome::kFlushed);
    EXPECT_EQ(batch.outcome(other), ChainOutcome::kDone);
  });
  prism.cluster().run();
  EXPECT_EQ(prism.word(64), 17U);
}

TEST_P(CalledChains, AnotherRegionsFreeListAndAMissingRightAreRefused) {
  const FabricShape two = shape(2, 1);
  ChainServer server(1);
  Cluster cluster(two, testing::options_for(two), [](Endpoint& endpoint) {
    endpoint.add_region("objects", kBytes, {});
    endpoint.add_region("others", kBytes, {});
    endpoint.add_region("read only", kBytes, {});
  });
  server.add_memory(cluster.endpoint(kServer).region(0));
  server.add_memory(cluster.endpoint(kServer).region(1));
  server.add_memory(cluster.endpoint(kServer).region(2), {.writable = false});
  const FreeListId list = server.add_free_list(0, kFirstBuffer, 64, 4);
  server.free_list(list).post_new(kFirstBuffer);
  server.serve(cluster.worker(kServer).rpc());
  cluster.worker(1).spawn([&] {
    PrismBatch batch(cluster.worker(1).rpc());
    const std::array<std::byte, 8> object{};
    for (const std::uint16_t region : {0, 1, 2}) {
      const OpId allocate = batch.allocate(batch.chain(kServer, RegionId(region)), list, object);
      const OpId write = batch.write(batch.chain(kServer, RegionId(region)), {0}, object);
      batch.post();
      if (region == 0) {
        EXPECT_NO_THROW(batch.wait());
      } else {
        EXPECT_THROW(batch.wait(), VerbsError);
      }
      EXPECT_EQ(batch.outcome(allocate),
                region == 0 ? ChainOutcome::kDone : ChainOutcome::kAccessError);
      EXPECT_EQ(batch.outcome(write),
                region < 2 ? ChainOutcome::kDone : ChainOutcome::kAccessError);
      batch.clear();
    }
  });
  cluster.run();
}

TEST_P(CalledChains, WhatCannotBeSentIsRefusedWhereItIsPosted) {
  PrismCluster prism(shape(2, 1), GetParam(), std::vector<std::byte>(kBytes));
  prism.spawn(1, 0, [&](Worker& worker) {
    const auto refusal = [&worker](const std::function<void(PrismBatch&)>& build) {
      PrismBatch batch(worker.rpc());
      build(batch);
      try {
        batch.post();
      } catch (const std::logic_error& wrong) {
        return std::string(wrong.what());
      }
      return std::string("none");
    };
    const auto most = static_cast<std::uint32_t>(worker.rpc().max_payload());
    EXPECT_EQ(refusal([](PrismBatch& batch) { batch.chain(kServer, 0); }),
              "a chain without operations");
    EXPECT_EQ(refusal([](PrismBatch& batch) {
                const ChainId chain = batch.chain(kServer, 0);
                for (int i = 0; i < 17; ++i) batch.read(chain, {0}, 8);
              }),
              "a chain of 17 operations; allowed are 16");
    EXPECT_EQ(refusal([](PrismBatch& batch) {
                batch.conditional(batch.read(batch.chain(kServer, 0), {0}, 8));
              }),
              "a chain begins with a condition");
    const std::string large =
        refusal([most](PrismBatch& batch) { batch.read(batch.chain(kServer, 0), {0}, most); });
    EXPECT_NE(large.find("a message holds " + std::to_string(most) + " B"), std::string::npos)
        << large;
    EXPECT_NE(large.find("rdma.rpc_transport=write-ring"), std::string::npos) << large;
    EXPECT_EQ(
        refusal([](PrismBatch& batch) { batch.write(batch.chain(kServer, 0), {0}, Place{}, 100); }),
        "WRITE of 100 B with 0 B of data");
  });
  prism.cluster().run();
}

std::string name_of(const ::testing::TestParamInfo<Carrier>& info) { return info.param.name; }

const Carrier kCores{.name = "Cores"};
const Carrier kCoresInChaos{.name = "CoresInChaos", .chaos = true};
const Carrier kNic{.name = "Nic", .nic = true};
const Carrier kNicInChaos{.name = "NicInChaos", .nic = true, .chaos = true};
const Carrier kNicWithLosses{.name = "NicWithLosses", .nic = true, .rc_loss = "0.01"};
const Carrier kNicInChaosWithLosses{
    .name = "NicInChaosWithLosses", .nic = true, .chaos = true, .rc_loss = "0.01"};

INSTANTIATE_TEST_SUITE_P(By, Chains,
                         ::testing::Values(kCores, kCoresInChaos, kNic, kNicInChaos, kNicWithLosses,
                                           kNicInChaosWithLosses),
                         name_of);
INSTANTIATE_TEST_SUITE_P(By, CalledChains, ::testing::Values(kCores, kCoresInChaos), name_of);

}  // namespace
}  // namespace verbena::rdma
