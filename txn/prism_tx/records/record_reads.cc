// Both at once, or one after the other.
#include "txn/prism_tx/records/record_reads.h"

#include <bit>
#include <vector>

#include "txn/prism_tx/records/slot_operations.h"

namespace verbena::txn::prism_tx {
namespace {

// By one chain, in one round trip.
class ReadsInChains final : public RecordReads {
 public:
  explicit ReadsInChains(prism::ServerChains& chains) : chains_(chains) {}

  std::size_t add(NodeId server, std::uint64_t slot, std::uint32_t bytes) override {
    added_.push_back(chains_.add(server, read_slot_and_object(slot, bytes)));
    return added_.size() - 1;
  }
  void carry_out(const prism::RoundTrip& round_trip) override { chains_.carry_out(round_trip); }
  Slot slot(std::size_t read) const override { return chains_.value<Slot>(added_[read]); }
  std::span<const std::byte> object(std::size_t read) const override {
    return chains_.data(added_[read], 1);
  }
  void clear() override {
    chains_.clear();
    added_.clear();
  }

 private:
  prism::ServerChains& chains_;
  std::vector<rdma::OpId> added_;
};

// Chains may overtake each other, so that objects are read once slots have been.
class ReadsInTurn final : public RecordReads {
 public:
  explicit ReadsInTurn(prism::ServerChains& chains) : chains_(chains) {}

  std::size_t add(NodeId server, std::uint64_t slot, std::uint32_t bytes) override {
    const auto reads = read_slot_and_object(slot, bytes);
    added_.push_back(
        {.server = server, .slot = chains_.add(server, reads[0]), .rest = reads[1], .object = {}});
    return added_.size() - 1;
  }
  void carry_out(const prism::RoundTrip& round_trip) override {
    chains_.carry_out(round_trip);
    for (Added& one : added_) one.object = chains_.add(one.server, one.rest);
    chains_.carry_out(round_trip);
  }
  Slot slot(std::size_t read) const override { return chains_.value<Slot>(added_[read].slot); }
  std::span<const std::byte> object(std::size_t read) const override {
    return chains_.data(added_[read].object);
  }
  void clear() override {
    chains_.clear();
    added_.clear();
  }

 private:
  struct Added {
    NodeId server;
    rdma::OpId slot;
    rdma::Operation rest;
    rdma::OpId object;
  };

  prism::ServerChains& chains_;
  std::vector<Added> added_;
};

// By pointers that the client follows.
class ReadsByClient final : public RecordReads {
 public:
  ReadsByClient(rdma::Worker& worker, prism::ServerChains& chains)
      : reads_(worker, chains, kTimestampedShape) {}

  std::size_t add(NodeId server, std::uint64_t slot, std::uint32_t bytes) override {
    return reads_.add(server, slot, bytes);
  }
  void carry_out(const prism::RoundTrip& round_trip) override { reads_.carry_out(round_trip); }
  Slot slot(std::size_t read) const override { return std::bit_cast<Slot>(reads_.slot(read)); }
  std::span<const std::byte> object(std::size_t read) const override { return reads_.object(read); }
  void clear() override { reads_.clear(); }

 private:
  prism::CheckedReads reads_;
};

}  // namespace

std::unique_ptr<RecordReads> make_record_reads(prism::Without without, rdma::Worker& worker,
                                               prism::ServerChains& chains) {
  if (without == prism::Without::kChaining) return std::make_unique<ReadsInTurn>(chains);
  if (without == prism::Without::kIndirection) {
    return std::make_unique<ReadsByClient>(worker, chains);
  }
  return std::make_unique<ReadsInChains>(chains);
}

}  // namespace verbena::txn::prism_tx
