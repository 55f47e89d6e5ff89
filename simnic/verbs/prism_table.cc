// Free lists, and enabling queue pairs.
#include "simnic/verbs/prism_table.h"

#include <cerrno>
#include <memory>
#include <vector>

#include "simnic/nic/chain_context.h"
#include "simnic/verbs/data_path.h"

namespace verbena::simnic {
namespace {

Nic& nic_of(const ibv_context* context) { return *static_cast<const VerbsContext*>(context)->nic; }

int query_device(ibv_context* context, prismdv_caps* caps) {
  const std::int64_t bytes = nic_of(context).machine.nic.prism_scratch;
  *caps = {.max_operand_bytes = rdma::kMostOperandBytes,
           .scratch_bytes = rdma::kScratchBytes,
           .scratch_queue_pairs =
               static_cast<std::uint32_t>(bytes / static_cast<std::int64_t>(rdma::kScratchBytes))};
  return 0;
}

prismdv_free_list* create_free_list(ibv_context* context, const prismdv_free_list_attr* attr) {
  const std::uint64_t bytes = std::uint64_t{attr->buffer_bytes} * attr->buffers;
  const bool fits = attr->buffer_bytes != 0 && bytes <= attr->mr->length &&
                    attr->first <= attr->mr->length - bytes && attr->first != 0;
  if (!fits || attr->mr->context != context) {
    errno = EINVAL;
    return nullptr;
  }
  NicChains& chains = nic_of(context).need_chains();
  auto list = std::make_unique<ChainFreeList>(reinterpret_cast<std::uint64_t>(attr->mr->addr),
                                              *attr, chains.running);
  list->context = context;
  list->number = static_cast<std::uint32_t>(chains.lists.size());
  return chains.lists.emplace_back(std::move(list)).get();
}

ChainFreeList& of(prismdv_free_list* list) { return *static_cast<ChainFreeList*>(list); }

int destroy_free_list(prismdv_free_list* list) {
  std::vector<std::unique_ptr<ChainFreeList>>& lists = nic_of(list->context).need_chains().lists;
  lists[list->number].reset();
  while (!lists.empty() && lists.back() == nullptr) lists.pop_back();
  return 0;
}

int post_free(prismdv_free_list* list, const std::uint64_t* offsets, int count) {
  for (int i = 0; i < count; ++i) {
    if (of(list).list.post(offsets[i]) != rdma::FreeList::Post::kPosted) return EINVAL;
  }
  return 0;
}

std::uint64_t popped(const prismdv_free_list* list) {
  return static_cast<const ChainFreeList*>(list)->list.popped();
}

uint64_t begun(ibv_context* context) { return nic_of(context).need_chains().running.begun(); }

uint64_t all_ended_before(ibv_context* context) {
  return nic_of(context).need_chains().running.oldest();
}

int enable_qp(ibv_qp* qp) {
  QueuePair& own = *QueuePair::of(qp);
  if (own.qp_type != IBV_QPT_RC) return EINVAL;
  if (own.state != IBV_QPS_RESET && own.state != IBV_QPS_INIT) return EINVAL;
  QueuePairAttributes attributes = *own.attributes;
  attributes.carries_chains = true;
  own.attributes = static_cast<VerbsContext*>(own.context)->node->queue_pairs().shared(attributes);
  return 0;
}

int post_send(ibv_qp* qp, prismdv_send_wr* wr, prismdv_send_wr** bad) {
  return post_chain(*static_cast<VerbsContext*>(qp->context)->node, *QueuePair::of(qp), wr, bad);
}

}  // namespace

const prismdv_table& sim_prism_table() {
  static constexpr prismdv_table kTable = {.query_device = query_device,
                                           .create_free_list = create_free_list,
                                           .destroy_free_list = destroy_free_list,
                                           .post_free = post_free,
                                           .popped = popped,
                                           .begun = begun,
                                           .all_ended_before = all_ended_before,
                                           .enable_qp = enable_qp,
                                           .post_send = post_send};
  return kTable;
}

}  // namespace verbena::simnic
