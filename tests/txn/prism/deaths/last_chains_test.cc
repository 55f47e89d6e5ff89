// A dead client's last chains: a server says that they have ended only when nothing of them will
// change its memory any more.
#include "txn/prism/deaths/last_chains.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/prism/chain_server.h"
#include "rdma/prism/prism_batch.h"
#include "tests/support/test_fabric.h"
#include "txn/prism/buffers/scavenger.h"
#include "txn/view.h"

namespace verbena::txn::prism {
namespace {

using testing::by_fabric;
using testing::Cluster;
using testing::FabricShape;

constexpr NodeId kServer = 0;
constexpr NodeId kDead = 1;
constexpr NodeId kOther = 2;
constexpr std::uint32_t kWorkers = 2;
constexpr std::uint32_t kFibers = 3;
constexpr std::uint64_t kBytes = 4096;
constexpr std::uint64_t kLine = 64;

void load_zeros(std::uint64_t /*offset*/, std::span<std::byte> page) {
  std::memset(page.data(), 0, page.size());
}

/// A server, a client that writes all the time and is declared dead though it is alive, and one
/// that asks when that has come to an end.
class Declared {
 public:
  explicit Declared(const FabricShape& shape)
      : cluster_(
            shape, options(shape),
            [](rdma::Endpoint& endpoint) { endpoint.add_region("objects", kBytes, load_zeros); }),
        server_(kWorkers),
        view_(View::apart(3, 1)),
        scavenger_(
            cluster_.endpoint(kServer), view_, server_, 0, [](NodeId) { return 0; },
            Scavenger::Holders::kKnown) {
    server_.add_memory(cluster_.endpoint(kServer).region(0));
    for (WorkerId id = 0; id < kWorkers; ++id) {
      rdma::Rpc& rpc = cluster_.worker(kServer, id).rpc();
      server_.serve(rpc);
      serve_last_chains(rpc, scavenger_);
      rdma::Worker& writer = cluster_.worker(kDead, id);
      for (std::uint32_t fiber = 0; fiber < kFibers; ++fiber) {
        writer.spawn([this, &writer, fiber] { write(writer, fiber); });
      }
    }
    rdma::Worker& keeper = cluster_.worker(kServer);
    keeper.spawn([this, &keeper] { declare(keeper); });
    rdma::Worker& asker = cluster_.worker(kOther);
    asker.spawn([this, &asker] { ask(asker); });
  }

  void run() { cluster_.run(); }

  int no_before() const { return no_before_; }
  int no_after() const { return no_after_; }
  bool has_ended() const { return has_ended_; }
  bool stays() const { return stays_; }

 private:
  static rdma::EndpointOptions options(const FabricShape& shape) {
    rdma::EndpointOptions options = testing::options_for(shape);
    options.rpc.retries = 3;
    return options;
  }

  const std::byte* memory() { return cluster_.endpoint(kServer).region(0).at(0, kBytes); }

  // A chain that writes a line of its own so many times; until nobody answers.
  void write(rdma::Worker& worker, std::uint32_t fiber) {
    rdma::PrismBatch batch(worker.rpc());
    std::array<std::uint64_t, kLine / 8> words = {};
    const std::uint64_t at = kLine * (worker.id() * kFibers + fiber);
    try {
      for (std::uint64_t round = 1;; ++round) {
        const rdma::ChainId chain = batch.chain(kServer, 0);
        for (std::uint64_t step = 0; step < 6; ++step) {
          words.fill(6 * round + step);
          batch.write(chain, {.offset = at}, std::as_bytes(std::span(words)));
        }
        batch.post();
        batch.wait();
        batch.clear();
      }
    } catch (const PeerMissing&) {
      cluster_.endpoint(kDead).mark_dead(kServer);
    }
  }

  void declare(rdma::Worker& worker) {
    while (no_before_ == 0 || memory()[0] == std::byte{0}) pause(worker);
    cluster_.endpoint(kServer).mark_dead(kDead);
    declared_ = true;
    while (!scavenger_.has_ended(kDead)) {
      scavenger_.look(worker);
      pause(worker);
    }
  }

  void ask(rdma::Worker& worker) {
    for (;;) {
      const bool before = !declared_;
      if (have_ended(worker, kServer, kDead)) break;
      ++(before ? no_before_ : no_after_);
    }
    has_ended_ = declared_;
    const std::vector<std::byte> then(memory(), memory() + kBytes);
    worker.sleep_until(worker.now() + by_fabric(500 * kMicrosecond, 300 * kMillisecond));
    stays_ = std::memcmp(memory(), then.data(), kBytes) == 0;
  }

  static void pause(rdma::Worker& worker) { worker.sleep_until(worker.now() + kMicrosecond); }

  Cluster cluster_;
  rdma::ChainServer server_;
  const View view_;
  Scavenger scavenger_;
  std::atomic<bool> declared_ = false;
  std::atomic<int> no_before_ = 0;
  std::atomic<int> no_after_ = 0;
  bool has_ended_ = false;
  bool stays_ = false;
};

TEST(LastChains, NothingIsCarriedOutOnceTheyAreSaidToHaveEnded) {
  int no_after = 0;
  for (std::uint64_t seed = 1; seed <= by_fabric<std::uint64_t>(60, 2); ++seed) {
    Declared declared(
        {.nodes = 3,
         .workers = kWorkers,
         .seed = seed,
         .chaos = !testing::on_hardware(),
         .overrides = {{"fabric.chaos_preempt", "0.3"}, {"fabric.chaos_interrupt_ns", "20000"}}});
    declared.run();
    EXPECT_GT(declared.no_before(), 0) << "seed " << seed;
    EXPECT_TRUE(declared.has_ended()) << "seed " << seed << ": said before it was declared dead";
    EXPECT_TRUE(declared.stays()) << "seed " << seed;
    no_after += declared.no_after();
  }
  // Chains are in flight when it is declared dead, so the answer is not always yes at once.
  if (!testing::on_hardware()) {
    EXPECT_GT(no_after, 0);
  }
}

}  // namespace
}  // namespace verbena::txn::prism
