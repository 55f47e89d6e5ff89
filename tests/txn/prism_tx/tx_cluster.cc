// Setting the cluster up, and looking at it when it is at rest.
#include "tests/txn/prism_tx/tx_cluster.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "txn/registry/load_system.h"

namespace verbena::testing {
namespace {

constexpr std::uint32_t kPayloadBytes = 200;
constexpr WorkerId kWorker{0};

void set(txn::System& system, const std::string& key, const std::string& value) {
  for (const txn::ParameterSection& section : system.parameters()) {
    for (const Parameter& parameter : section.parameters) {
      if (section.name + "." + parameter.name == key) return assign(parameter, value);
    }
  }
  throw std::logic_error("no parameter " + key);
}

txn::KeyRange all_keys(txn::PartitionId partition, bool descending = false) {
  return {.table = 1,
          .partition = partition,
          .first = 0,
          .last = txn::kNoKey,
          .descending = descending};
}

std::unique_ptr<txn::System> make_system(const TxCluster::Settings& settings) {
  std::unique_ptr<txn::System> system = txn::load_system("prism-tx");
  for (const auto& [key, value] : settings) set(*system, key, value);
  return system;
}

// Some datagrams overtake others.
const FabricShape kShape{.nodes = TxCluster::kServers + TxCluster::kClients,
                         .overrides = {{"fabric.ud_reorder", "0.5"}}};

txn::Deployment make_deployment(const txn::System& system) {
  txn::Deployment deployment{
      .schema = {{.name = "words", .payload_bytes = kPayloadBytes, .initial_records = 20},
                 {.name = "keys",
                  .payload_bytes = kPayloadBytes,
                  .initial_records = 5,
                  .insert_capacity = 30,
                  .key_levels = {{.count = 5, .shift = 3}},
                  .ordered = true,
                  .erased = true}},
      .limits = {},
      .view = system.place({.nodes = kShape.nodes, .replicas = 1}),
      .fibers = TxCluster::kFibers};
  deployment.limits = txn::TransactionLimits::any_of(deployment.schema, 17);
  return deployment;
}

}  // namespace

TxCluster::TxCluster(const Settings& settings)
    : system_(make_system(settings)), deployment_(make_deployment(*system_)) {
  layout_ =
      std::make_unique<txn::prism::Layout>(deployment_.schema, 1, txn::prism_tx::kTimestampedSlots);
  cluster_ = std::make_unique<Cluster>(
      kShape, system_->endpoint(options_for(kShape), deployment_, NodeId{0}),
      [&](rdma::Endpoint& added) { nodes_.push_back(system_->join(added, deployment_)); });
  for (auto& node : nodes_) {
    node->measure(kWorker, 0_ns, kNever);
    node->start();
  }
  for (std::uint16_t fiber = 0; fiber < kFibers; ++fiber) {
    for (std::uint32_t client = 0; client < kClients; ++client) {
      transactions_.push_back(nodes_[kServers + client]->transaction(kWorker, fiber));
    }
  }
}

void TxCluster::run(const std::vector<Body>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    rdma::Worker& worker = cluster_->worker(static_cast<NodeId>(kServers + i % kClients));
    worker.spawn([body = bodies[i], &worker, transaction = transactions_.at(i).get()] {
      body(*transaction, worker);
    });
  }
  for (std::uint32_t n = 0; n < cluster_->nodes(); ++n) {
    for (auto& body : nodes_[n]->background(kWorker)) {
      cluster_->worker(static_cast<NodeId>(n)).spawn_background(std::move(body));
    }
  }
  cluster_->run();
}

std::byte* TxCluster::slot_at(const txn::RecordName& name, std::uint64_t passed) {
  const std::uint64_t at = layout_->slot(name.table, name.key, passed).value();
  return cluster_->endpoint(deployment_.view.primary(name.partition))
      .region(RegionId{0})
      .at(at, sizeof(txn::prism_tx::Slot));
}

txn::prism_tx::Slot TxCluster::slot(const txn::RecordName& name, std::uint64_t passed) {
  txn::prism_tx::Slot slot;
  std::memcpy(&slot, slot_at(name, passed), sizeof slot);
  return slot;
}

void TxCluster::set_slot(const txn::RecordName& name, const txn::prism_tx::Slot& slot) {
  std::memcpy(slot_at(name, 0), &slot, sizeof slot);
}

std::uint64_t TxCluster::word(const txn::RecordName& name) {
  std::array<std::byte, kPayloadBytes> payload{};
  if (!nodes_[name.partition]->state().get(name, payload)) {
    throw std::logic_error("there is no such record");
  }
  std::uint64_t word = 0;
  std::memcpy(&word, payload.data(), sizeof word);
  return word;
}

std::vector<txn::Key> TxCluster::keys(txn::PartitionId partition, bool descending) {
  std::vector<txn::Key> keys;
  nodes_[partition]->state().scan(all_keys(partition, descending), [&](txn::Key key) {
    keys.push_back(key);
    return true;
  });
  return keys;
}

std::uint64_t TxCluster::count_keys(txn::PartitionId partition) {
  return nodes_[partition]->state().count(all_keys(partition));
}

std::uint64_t TxCluster::counted(const std::string& counter) {
  const auto& names = system_->info().counters;
  const auto found = std::ranges::find(names, counter);
  if (found == names.end()) throw std::logic_error("nothing counts " + counter);
  std::uint64_t all = 0;
  for (auto& node : nodes_) {
    all += node->metrics(kWorker).counters[static_cast<std::size_t>(found - names.begin())];
  }
  return all;
}

std::vector<std::string> TxCluster::errors() {
  std::vector<std::string> errors;
  for (auto& node : nodes_) {
    for (std::string& error : node->state().self_check().errors) errors.push_back(std::move(error));
  }
  return errors;
}

std::uint64_t& word_to_write(txn::Transaction& transaction, txn::Transaction::Handle handle) {
  return *reinterpret_cast<std::uint64_t*>(transaction.update_payload(handle).data());
}

std::uint64_t& word_to_replace(txn::Transaction& transaction, txn::Transaction::Handle handle) {
  const std::span<std::byte> payload = transaction.overwrite_payload(handle);
  std::ranges::fill(payload, std::byte{0});
  return *reinterpret_cast<std::uint64_t*>(payload.data());
}

std::uint64_t word_read(txn::Transaction& transaction, txn::Transaction::Handle handle) {
  return *reinterpret_cast<const std::uint64_t*>(transaction.payload(handle).data());
}

}  // namespace verbena::testing
