// Flags that rdma::defect() has nothing against.
#include "experiments/reproduce/figure/chain_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "rdma/chain/operation.h"

namespace verbena::experiments {
namespace {

using rdma::ChainOpcode;
using rdma::Operation;
using Where = rdma::Place::Where;

constexpr std::array<std::byte, 8> kBytes{};
/// Memory of a NIC that users can reach, in bytes (PRISM paper, section 4.2).
constexpr std::size_t kNicMemory = 256 << 10;

/// A flag of a request, of either extension.
struct Flag {
  const char* name;
  bool chains;  ///< operations with each other; otherwise it has a pointer followed
  void (*set)(Operation&);
};

constexpr std::array<Flag, 5> kFlags = {
    {{"INDIRECT", false, [](Operation& operation) { operation.target_indirect = true; }},
     {"BOUNDED", false,
      [](Operation& operation) { operation.target_indirect = operation.bounded = true; }},
     {"DATA INDIRECT", false,
      [](Operation& operation) {
        operation.data = {.where = Where::kMemory, .offset = 8};
        operation.payload = {};
      }},
     {"CONDITIONAL", true, [](Operation& operation) { operation.conditional = true; }},
     {"REDIRECT", true,
      [](Operation& operation) { operation.redirect = {.where = Where::kScratch, .offset = 0}; }}}};

struct Primitive {
  const char* name;
  ChainOpcode opcode;
};

constexpr std::array<Primitive, 4> kPrimitives = {{{"READ", ChainOpcode::kRead},
                                                   {"WRITE", ChainOpcode::kWrite},
                                                   {"ALLOCATE", ChainOpcode::kAllocate},
                                                   {"CAS", ChainOpcode::kCompareAndSwap}}};

// Without any flag; all that it needs otherwise.
Operation plain(ChainOpcode opcode) {
  Operation operation;
  operation.opcode = opcode;
  operation.target = {.where = Where::kMemory, .offset = 8};
  operation.length = kBytes.size();
  const bool writes = opcode == ChainOpcode::kWrite || opcode == ChainOpcode::kAllocate;
  if (writes) operation.payload = kBytes;
  return operation;
}

// A READ has no data that could come from elsewhere, which is no defect of one that says where.
bool may_have(ChainOpcode opcode, const Flag& flag) {
  Operation operation = plain(opcode);
  flag.set(operation);
  const bool unread = opcode == ChainOpcode::kRead && operation.data.where != Where::kRequest;
  return !unread && rdma::defect(operation) == nullptr;
}

std::string flags_of(ChainOpcode opcode) {
  std::string names;
  for (const Flag& flag : kFlags) {
    if (!may_have(opcode, flag)) continue;
    names += (names.empty() ? "" : ", ") + std::string(flag.name);
  }
  return names;
}

// The flags of one extension that some primitive may have.
std::size_t flags_that_count(bool chains) {
  return static_cast<std::size_t>(std::ranges::count_if(kFlags, [&](const Flag& flag) {
    return flag.chains == chains && std::ranges::any_of(kPrimitives, [&](const Primitive& one) {
             return may_have(one.opcode, flag);
           });
  }));
}

// The largest operand, in bytes, that a compare-and-swap may have.
std::uint32_t most_operand_bytes() {
  std::uint32_t most = 0;
  for (std::uint32_t bytes = 1; bytes <= 1024; ++bytes) {
    Operation swap = plain(ChainOpcode::kCompareAndSwap);
    swap.length = bytes;
    if (rdma::defect(swap) == nullptr) most = bytes;
  }
  return most;
}

}  // namespace

Comparison chain_table() {
  Comparison table{.columns = {"PRISM"}, .rows = {}};
  const auto add = [&](std::string name, std::string ours) {
    table.rows.push_back({std::move(name), {std::move(ours)}, {}});
  };
  for (const Primitive& one : kPrimitives) add(one.name, flags_of(one.opcode));
  const std::size_t indirection = flags_that_count(false);
  const std::size_t chaining = flags_that_count(true);
  add("flags", fmt::format("{}", indirection + chaining));
  add("of these for indirection", fmt::format("{}", indirection));
  add("and for chaining", fmt::format("{}", chaining));
  add("operand of CAS", fmt::format("up to {} B", most_operand_bytes()));
  add("scratch of a connection", fmt::format("{} B", rdma::kScratchBytes));
  add("connections whose scratch fits 256 KB", fmt::format("{}", kNicMemory / rdma::kScratchBytes));
  return table;
}

}  // namespace verbena::experiments
