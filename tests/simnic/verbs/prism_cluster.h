// Two nodes of which one carries out PRISM's operations on its memory, for tests of the NIC.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "rdma/seam/prismdv.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {

inline constexpr std::uint64_t kAll = ~std::uint64_t{0};
inline constexpr prismdv_place kScratch{PRISMDV_SCRATCH, 0};

inline prismdv_place memory(std::uint64_t offset) { return {PRISMDV_MEMORY, offset}; }

/// Two nodes, of which the second carries out operations of the first on its memory.
class Prism : public ::testing::Test {
 protected:
  explicit Prism(const SimOptions& options = {}) : cluster_(options) {
    const prismdv_free_list_attr attr{.mr = b_.mr, .first = 4096, .buffer_bytes = 64, .buffers = 8};
    list_ = table_.create_free_list(b_.context, &attr);
    const std::array<std::uint64_t, 2> buffers{4096, 4160};
    EXPECT_EQ(table_.post_free(list_, buffers.data(), 2), 0);
  }

  /// Both ends of a new connection, the requester's first.
  std::pair<ibv_qp*, ibv_qp*> connected(const ConnectionShape& shape = {}) {
    ibv_qp* const own = cluster_.create(0);
    ibv_qp* const peer = cluster_.create(1);
    EXPECT_EQ(table_.enable_qp(own), 0);
    EXPECT_EQ(table_.enable_qp(peer), 0);
    cluster_.connect(0, own, 1, peer, shape);
    return {own, peer};
  }
  ibv_qp* connect(const ConnectionShape& shape = {}) { return connected(shape).first; }

  prismdv_send_wr operation(prismdv_opcode opcode, prismdv_place target, std::uint32_t length,
                            unsigned flags = 0) const {
    prismdv_send_wr wr{};
    wr.send_flags = IBV_SEND_SIGNALED;
    wr.opcode = opcode;
    wr.flags = flags;
    wr.rkey = b_.mr->rkey;
    wr.target = target;
    wr.length = length;
    return wr;
  }
  prismdv_send_wr read(std::uint64_t offset, std::uint32_t length, unsigned flags = 0) {
    prismdv_send_wr wr = operation(PRISMDV_READ, memory(offset), length, flags);
    wr.result = a_.piece(0, length);
    return wr;
  }
  prismdv_send_wr write(prismdv_place target, ibv_sge& from, unsigned flags = 0) {
    prismdv_send_wr wr = operation(PRISMDV_WRITE, target, from.length, flags);
    wr.sg_list = &from;
    wr.num_sge = 1;
    return wr;
  }
  prismdv_send_wr allocate(ibv_sge& from) {
    prismdv_send_wr wr = write({}, from);
    wr.opcode = PRISMDV_ALLOCATE;
    wr.free_list = list_->number;
    wr.result = a_.piece(1024, 8);
    return wr;
  }
  /// Swaps the word at `offset`, if it is `compare`.
  prismdv_send_wr swap(std::uint64_t offset, std::uint64_t compare, std::uint64_t to) {
    cas_ = {};
    cas_.compare_words[0] = compare;
    cas_.swap_words[0] = to;
    cas_.compare_mask[0] = cas_.swap_mask[0] = kAll;
    prismdv_send_wr wr = operation(PRISMDV_COMPARE_AND_SWAP, memory(offset), 8);
    wr.cas = &cas_;
    wr.result = a_.piece(1032, 8);
    return wr;
  }

  int post(ibv_qp* qp, std::vector<prismdv_send_wr> chain) const {
    for (std::size_t i = 0; i + 1 < chain.size(); ++i) chain[i].next = &chain[i + 1];
    prismdv_send_wr* bad = nullptr;
    return table_.post_send(qp, chain.data(), &bad);
  }
  /// Posts a chain and returns its completions.
  std::vector<ibv_wc> completions(ibv_qp* qp, const std::vector<prismdv_send_wr>& chain) {
    std::vector<ibv_wc> all;
    cluster_.run({{0, [&](rdma::Core& core) {
                     ASSERT_EQ(post(qp, chain), 0);
                     all = await(core, a_.cq, chain.size());
                   }}});
    return all;
  }
  static std::vector<ibv_wc_status> statuses_of(const std::vector<ibv_wc>& done) {
    std::vector<ibv_wc_status> all;
    all.reserve(done.size());
    for (const ibv_wc& wc : done) all.push_back(wc.status);
    return all;
  }
  std::vector<ibv_wc_status> statuses(ibv_qp* qp, const std::vector<prismdv_send_wr>& chain) {
    return statuses_of(completions(qp, chain));
  }
  /// Returns the outcomes of a chain that succeeds.
  std::vector<std::uint32_t> outcomes(ibv_qp* qp, const std::vector<prismdv_send_wr>& chain) {
    std::vector<std::uint32_t> all;
    for (const ibv_wc& wc : completions(qp, chain)) {
      EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
      all.push_back(wc.vendor_err);
    }
    return all;
  }

  VerbsCluster cluster_;
  VerbsNode& a_ = cluster_.node(0);
  VerbsNode& b_ = cluster_.node(1);
  const prismdv_table& table_ = *a_.verbs->prism;
  prismdv_free_list* list_ = nullptr;
  prismdv_cas cas_{};
};

}  // namespace verbena::simnic
