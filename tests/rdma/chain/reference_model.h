// A plain model of chains, as a second opinion for tests, and random chains to ask it about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "rdma/chain/operation.h"

namespace verbena::testing {

/// A server's memory and free buffers, of one size, of which nothing comes back.
struct ModelServer {
  std::vector<std::byte> memory;
  std::deque<std::uint64_t> free_buffers;
  std::uint32_t buffer_bytes = 64;
};

struct ModelResult {
  rdma::ChainOutcome outcome = rdma::ChainOutcome::kDone;
  std::uint32_t length = 0;
  std::vector<std::byte> data;

  bool operator==(const ModelResult&) const = default;
};

/// Carries a chain out, one operation after the other, with `scratch` as the connection's.
std::vector<ModelResult> carry_out(const std::vector<rdma::Operation>& chain, ModelServer& server,
                                   rdma::Scratch& scratch);

/// A chain with the bytes that its operations point to.
struct RandomChain {
  std::vector<rdma::Operation> operations;
  std::deque<std::vector<std::byte>> payloads;
};

/// Draws a chain of 1 to `most` operations of all kinds, most of which are in order, on memory of
/// `bytes` in which many words are pointers and bounds. Its first operations write all of the
/// scratch.
RandomChain draw_chain(std::mt19937_64& random, std::uint64_t bytes, std::size_t most);

/// Memory whose words are pointers into it, bounds and small numbers.
std::vector<std::byte> draw_memory(std::mt19937_64& random, std::uint64_t bytes);

}  // namespace verbena::testing
