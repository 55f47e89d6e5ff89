// Compute servers, memory servers and an oracle whose transactions run as a test says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "rdma/worker.h"
#include "tests/support/test_fabric.h"
#include "txn/nam/measures.h"
#include "txn/participant.h"
#include "txn/system.h"
#include "txn/transaction.h"

namespace verbena::testing {

/// Two compute servers with a worker of two fibers, a memory server and the oracle; or with
/// locality three servers that are both, of which the first keeps what the transactions of the
/// first two use. Table 0 has ten records of 200 B, all zero at first; table 1, which is ordered,
/// has the keys 0, 8, ... 32 and room for kNewKeys others; from the two records of table 2, zero at
/// first, numbers are drawn.
class NamCluster {
 public:
  struct Options {
    std::uint64_t seed = 1;
    bool chaos = false;
    std::uint32_t versions = 3;
    std::uint32_t bucket_slots_percent = 150;
    Nanoseconds longest_transaction = kSecond;
    bool locality = false;
    std::uint32_t overflow_kib = 0;
    std::uint32_t extent_records = 0;
    std::uint32_t first_buckets = 0;
  };
  static constexpr std::uint64_t kNewKeys = 30;
  using Body = std::function<void(txn::Transaction& transaction, rdma::Worker& worker)>;

  explicit NamCluster(const Options& options);

  /// Runs the bodies, each as a fiber of its own, of as many compute servers as needed; returns
  /// when all have.
  void run(const std::vector<Body>& bodies);

  /// The first word of a record at rest.
  std::uint64_t word(txn::Key key);

  /// Where the first word of record 0 lies.
  RemoteAddress first_word() const;

  /// The next number of a record of table 2 at rest.
  std::uint64_t number(txn::Key key);

  /// Keys of table 1 that are there, in order.
  std::vector<txn::Key> keys();

  /// How many these are, as the memory server counts them.
  std::uint64_t count_keys();

  /// Metrics of all workers.
  txn::Metrics metrics();

  std::uint64_t count(txn::nam::Counter counter);

  /// How many keys memory servers have told to scans so far.
  std::uint64_t scanned_keys();

  /// Errors that the memory server finds in itself.
  std::vector<std::string> errors();

 private:
  txn::StateAtRest& memory_server();
  std::uint64_t first_word_of(txn::TableId table, txn::Key key);

  static constexpr std::uint32_t kCompute = 2;
  static constexpr std::uint32_t kNodes = kCompute + 2;
  static constexpr std::uint32_t kFibers = 2;

  FabricShape shape_;
  std::unique_ptr<txn::System> system_;
  txn::Deployment deployment_;
  std::unique_ptr<Cluster> cluster_;
  std::vector<std::unique_ptr<txn::Participant>> nodes_;
  std::vector<std::unique_ptr<txn::Transaction>> transactions_;
};

/// Reads records 0, 1, ... of table 0 as words; after fetch.
std::uint64_t& word_of(txn::Transaction& transaction, txn::Transaction::Handle handle);
std::uint64_t read_word(txn::Transaction& transaction, txn::Transaction::Handle handle);

}  // namespace verbena::testing
