// Checking and describing work requests.
#include "simnic/verbs/chain_request.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "simnic/nic/chain_work.h"

namespace verbena::simnic {
namespace {

using rdma::ChainOpcode;

rdma::Place place_of(const prismdv_place& place) {
  return {static_cast<rdma::Place::Where>(place.where), place.offset};
}

rdma::OperandWords words_of(const std::uint64_t (&words)[4]) {
  rdma::OperandWords all{};
  std::copy_n(words, all.size(), all.begin());
  return all;
}

bool known(const prismdv_place& place) { return place.where <= PRISMDV_MEMORY; }

bool well_formed(const prismdv_send_wr& wr) {
  if (wr.opcode > PRISMDV_FETCH_AND_ADD || !known(wr.target) || !known(wr.data)) return false;
  if (!known(wr.redirect) || wr.num_sge < 0 || wr.num_sge > 1) return false;
  if (wr.opcode != PRISMDV_COMPARE_AND_SWAP) return true;
  return wr.cas != nullptr && wr.cas->mode <= PRISMDV_ALWAYS && known(wr.cas->compare);
}

void describe_operands(const prismdv_send_wr& wr, rdma::Operation& operation) {
  if (wr.opcode == PRISMDV_FETCH_AND_ADD) operation.swap_words[0] = wr.add;
  if (wr.opcode != PRISMDV_COMPARE_AND_SWAP) return;
  operation.mode = static_cast<rdma::CompareMode>(wr.cas->mode);
  operation.compare = place_of(wr.cas->compare);
  operation.swap_words = words_of(wr.cas->swap_words);
  operation.compare_words = words_of(wr.cas->compare_words);
  operation.swap_mask = words_of(wr.cas->swap_mask);
  operation.compare_mask = words_of(wr.cas->compare_mask);
}

}  // namespace

int describe(const QueuePair& qp, const prismdv_send_wr& wr, rdma::Operation& operation) {
  if (qp.qp_type != IBV_QPT_RC || !qp.attributes->carries_chains || !well_formed(wr)) return EINVAL;
  operation = {};
  operation.opcode = static_cast<ChainOpcode>(wr.opcode);
  operation.conditional = (wr.flags & PRISMDV_CONDITIONAL) != 0;
  operation.target_indirect = (wr.flags & PRISMDV_TARGET_INDIRECT) != 0;
  operation.bounded = (wr.flags & PRISMDV_BOUNDED) != 0;
  operation.target = place_of(wr.target);
  operation.length = wr.length;
  operation.free_list = wr.free_list;
  operation.data = place_of(wr.data);
  operation.redirect = place_of(wr.redirect);
  describe_operands(wr, operation);
  const std::uint32_t brought = payload_bytes(operation);
  const std::uint32_t given = wr.num_sge == 1 ? wr.sg_list[0].length : 0;
  if (given != brought || brought > std::uint32_t{1} << 30 || wr.length > std::uint32_t{1} << 30) {
    return EINVAL;
  }
  if ((wr.send_flags & IBV_SEND_INLINE) != 0 && brought > qp.attributes->max_inline) return EINVAL;
  if (wr.result.length != 0 && wr.result.length < rdma::most_returned(operation)) return EINVAL;
  return qp.posted - qp.freed >= qp.attributes->send_capacity ? ENOMEM : 0;
}

}  // namespace verbena::simnic
