// Slots, objects, and slots again.
#include "txn/prism/access/checked_reads.h"

#include <algorithm>
#include <array>

#include "rdma/chain/chain_message.h"

namespace verbena::txn::prism {
namespace {

using rdma::Operation;
using rdma::Place;

Operation read_of(std::uint64_t at, std::uint32_t bytes, bool conditional = false) {
  Operation read;
  read.target = {Place::Where::kMemory, at};
  read.length = bytes;
  read.conditional = conditional;
  return read;
}

// A READ that waits for nothing may be carried out before those that it follows.
std::array<Operation, 2> object_and_slot(std::uint64_t object, std::uint32_t bytes,
                                         std::uint64_t slot, std::uint32_t slot_bytes) {
  return {read_of(object, bytes), read_of(slot, slot_bytes, true)};
}

}  // namespace

std::size_t CheckedReads::add(NodeId server, std::uint64_t slot, std::uint32_t bytes) {
  const rdma::OpId first = chains_.add(server, read_of(slot, shape_.bytes));
  added_.push_back({.server = server, .slot = slot, .bytes = bytes, .last = first});
  return added_.size() - 1;
}

// False: there is no object.
bool CheckedReads::follow(Added& read) {
  const std::uint64_t object = pointer(read);
  if (object == 0) return false;
  std::uint32_t bytes = read.bytes;
  if (shape_.bound_word) {
    bytes =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, read.words[*shape_.bound_word]));
  }
  read.last = chains_.add(read.server, object_and_slot(object, bytes, read.slot, shape_.bytes));
  return true;
}

void CheckedReads::take(Added& read) {
  const rdma::OperandWords now = chains_.words(read.last, 1);
  read.done = true;
  for (std::size_t w = 0; w < now.size(); ++w) {
    if (((now[w] ^ read.words[w]) & shape_.same_bits[w]) != 0) read.done = false;
  }
  read.words = now;
  if (read.done) return;
  worker_.core().reach("prism: object read again");
  ++again_;
}

void CheckedReads::carry_out(const RoundTrip& round_trip) {
  chains_.carry_out(round_trip);
  for (Added& one : added_) one.words = chains_.words(one.last, 0);
  for (;;) {
    std::vector<Added*> asked;
    for (Added& one : added_) {
      if (!one.done && follow(one)) asked.push_back(&one);
    }
    if (asked.empty()) return;
    chains_.carry_out(round_trip);
    for (Added* one : asked) take(*one);
  }
}

std::span<const std::byte> CheckedReads::object(std::size_t read) const {
  const Added& one = added_[read];
  if (!one.done) return {};
  return chains_.data(one.last);
}

void CheckedReads::clear() {
  chains_.clear();
  added_.clear();
}

std::size_t checked_read_bytes(const SlotShape& shape, std::uint32_t bytes) {
  const auto operations = object_and_slot(0, bytes, 0, shape.bytes);
  std::size_t request = rdma::kChainHeaderBytes;
  std::size_t reply = 0;
  for (const Operation& one : operations) {
    request += rdma::request_bytes(one);
    reply += rdma::most_reply_bytes(one);
  }
  return std::max(request, reply);
}

}  // namespace verbena::txn::prism
