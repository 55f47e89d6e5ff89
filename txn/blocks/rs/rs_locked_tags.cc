// Two chains for each write.
#include "txn/blocks/rs/rs_locked_tags.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "rdma/chain/chain_message.h"
#include "rdma/endpoint.h"
#include "txn/blocks/rs/rs_operations.h"
#include "txn/prism/deaths/last_chains.h"
#include "txn/prism/install_newer.h"

namespace verbena::txn::blocks {
namespace {

using rdma::Operation;
using rdma::Place;

constexpr std::uint64_t kNobody = 0;

/// The longest wait for a lock before it is tried again, the first of them; twice as long each
/// time.
constexpr Nanoseconds kFirstPause = 4 * kMicrosecond;
constexpr Nanoseconds kLongestPause = 16 * kMillisecond;

// A compare-and-swap of 8 B.
Operation swap_word(std::uint64_t at, std::uint64_t from, std::uint64_t to) {
  Operation swap;
  swap.opcode = rdma::ChainOpcode::kCompareAndSwap;
  swap.target = {Place::Where::kMemory, at};
  swap.length = sizeof from;
  swap.compare_words = {from};
  swap.swap_words = {to};
  swap.compare_mask = swap.swap_mask = {~std::uint64_t{0}};
  return swap;
}

std::array<Operation, 2> lock_and_read(std::uint64_t lock, std::uint64_t from, std::uint64_t to,
                                       std::uint64_t metadata) {
  Operation read = read_at(metadata, sizeof(Metadata), false);
  read.conditional = true;
  return {swap_word(lock, from, to), read};
}

// Tag and pointer by way of the scratch; the lock goes back whether or not there is a buffer.
std::array<Operation, 4> write_and_release(rdma::FreeListId list, std::uint64_t metadata,
                                           std::span<const std::byte> version,
                                           const Operation& unlock) {
  const auto whole = prism::install_newer(list, metadata, version);
  Operation write;
  write.opcode = rdma::ChainOpcode::kWrite;
  write.conditional = true;
  write.target = {Place::Where::kMemory, metadata};
  write.data = {Place::Where::kScratch, 0};
  write.length = sizeof(Metadata);
  return {whole[0], whole[1], write, unlock};
}

}  // namespace

LockedTags::LockedTags(rdma::Worker& worker, NodeId replica, const RsLayout& layout,
                       const prism::Clients& clients, std::uint64_t number)
    : worker_(worker),
      replica_(replica),
      layout_(layout),
      clients_(clients),
      number_(number),
      chains_(worker.rpc()),
      random_(mix64(number) ^ replica) {}

std::span<const std::byte> LockedTags::read(std::uint64_t metadata_at, std::uint32_t value_bytes,
                                            const prism::RoundTrip& round_trip) {
  chains_.clear();
  return read_version(chains_, replica_, metadata_at, value_bytes, round_trip);
}

Tag LockedTags::read_tag(std::uint64_t metadata_at, const prism::RoundTrip& round_trip) {
  chains_.clear();
  return blocks::read_tag(chains_, replica_, metadata_at, round_trip);
}

RsAccess::Written LockedTags::write(std::uint64_t metadata_at, rdma::FreeListId list,
                                    std::span<const std::byte> version,
                                    const prism::RoundTrip& round_trip) {
  const Metadata old = lock(metadata_at, round_trip);
  Tag tag;
  std::memcpy(&tag, version.data(), sizeof tag);
  if (tag > old.tag) return write_and_unlock(metadata_at, list, version, old, round_trip);
  chains_.clear();
  chains_.add(replica_, swap_word(layout_.lock_at(metadata_at), number_, kNobody));
  chains_.carry_out(round_trip);
  return {.had_buffer = true};
}

Metadata LockedTags::lock(std::uint64_t metadata_at, const prism::RoundTrip& round_trip) {
  std::uint64_t holder = kNobody;
  for (Nanoseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    chains_.clear();
    const rdma::OpId taken = chains_.add(
        replica_, lock_and_read(layout_.lock_at(metadata_at), holder, number_, metadata_at));
    chains_.carry_out(round_trip);
    if (chains_.done(taken)) return chains_.value<Metadata>(taken, 1);
    worker_.core().reach("blocks: tag locked by another");
    holder = chains_.value<std::uint64_t>(taken);
    if (left_by_the_dead(holder)) {
      worker_.core().reach("blocks: tag's lock taken from a dead client");
      continue;
    }
    holder = kNobody;
    if (round_trip.waits) round_trip.waits();
    worker_.sleep_until(worker_.now() + Nanoseconds(random_.between(1, pause.count())));
  }
}

bool LockedTags::left_by_the_dead(std::uint64_t holder) const {
  if (holder == kNobody || holder > clients_.count()) return false;
  const NodeId node = clients_.of(holder).node;
  return worker_.endpoint().is_dead(node) && prism::have_ended(worker_, replica_, node);
}

RsAccess::Written LockedTags::write_and_unlock(std::uint64_t metadata_at, rdma::FreeListId list,
                                               std::span<const std::byte> version,
                                               const Metadata& old,
                                               const prism::RoundTrip& round_trip) {
  constexpr std::uint32_t kAllocate = 1;
  chains_.clear();
  const rdma::OpId first = chains_.add(
      replica_, write_and_release(list, metadata_at, version,
                                  swap_word(layout_.lock_at(metadata_at), number_, kNobody)));
  chains_.carry_out(round_trip);
  if (!chains_.done(first, kAllocate)) return {};
  return {.had_buffer = true, .newest = true, .unused = old.pointer};
}

std::size_t locked_message_bytes(std::uint32_t bytes) {
  const std::vector<std::byte> version(bytes);
  std::size_t longest = rdma::kChainHeaderBytes;
  for (const Operation& one : write_and_release(0, 0, version, swap_word(0, 0, 0))) {
    longest += rdma::request_bytes(one);
  }
  return longest;
}

}  // namespace verbena::txn::blocks
