// The control path of simulated devices, with libibverbs' signatures.
#include "simnic/verbs/control_path.h"

#include <cerrno>
#include <cstring>
#include <memory>

#include "simnic/nic/cluster.h"
#include "simnic/verbs/data_path.h"
#include "simnic/verbs/modify_queue_pair.h"
#include "simnic/verbs/prism_table.h"

namespace verbena::simnic {
namespace {

struct Selection {
  Cluster* cluster = nullptr;
  NodeId node = 0;
};
thread_local Selection selection;

VerbsContext& of(ibv_context* context) { return *static_cast<VerbsContext*>(context); }
template <typename Object>
VerbsContext& context_of(Object* object) {
  return of(object->context);
}

template <typename Pointer>
Pointer* fail(int error) {
  errno = error;
  return nullptr;
}

template <typename Object>
void destroy(Object* object) {
  const std::unique_ptr<Object> owner(object);
}

// --- The data path: what libibverbs' inline functions call.

int post_send(ibv_qp* qp, ibv_send_wr* request, ibv_send_wr** bad) {
  return post_send(*of(qp->context).node, *QueuePair::of(qp), request, bad);
}

int post_recv(ibv_qp* qp, ibv_recv_wr* request, ibv_recv_wr** bad) {
  return post_receive(*of(qp->context).node, *QueuePair::of(qp), request, bad);
}

int post_srq_recv(ibv_srq* srq, ibv_recv_wr* request, ibv_recv_wr** bad) {
  return post_shared_receive(*context_of(srq).node, *static_cast<SharedReceiveQueue*>(srq), request,
                             bad);
}

int poll_cq(ibv_cq* cq, int entries, ibv_wc* out) {
  return poll(*context_of(cq).node, *static_cast<CompletionQueue*>(cq), entries, out);
}

int req_notify_cq(ibv_cq*, int) { return ENOSYS; }

// --- Devices.

ibv_device** get_device_list(int* num_devices) {
  if (num_devices != nullptr) *num_devices = 0;
  if (selection.cluster == nullptr) return fail<ibv_device*>(ENODEV);
  const std::uint32_t count = selection.cluster->options().nics_per_node;
  auto list = std::make_unique<ibv_device*[]>(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    list[i] = &selection.cluster->nic(selection.node * count + i).device;
  }
  list[count] = nullptr;
  if (num_devices != nullptr) *num_devices = static_cast<int>(count);
  return list.release();
}

void free_device_list(ibv_device** list) { const std::unique_ptr<ibv_device*[]> owner(list); }

const char* get_device_name(ibv_device* device) { return device->name; }

ibv_context* open_device(ibv_device* device) {
  if (selection.cluster == nullptr) return fail<ibv_context>(ENODEV);
  auto context = std::make_unique<VerbsContext>();
  context->nic = static_cast<Device*>(device)->nic;
  context->node = &selection.cluster->node(context->nic->node);
  context->device = device;
  context->cmd_fd = context->async_fd = -1;
  context->num_comp_vectors = 1;
  context->ops.poll_cq = poll_cq;
  context->ops.req_notify_cq = req_notify_cq;
  context->ops.post_send = post_send;
  context->ops.post_recv = post_recv;
  context->ops.post_srq_recv = post_srq_recv;
  for (std::int64_t i = 0; i < context->nic->machine.nic.doorbell_registers; ++i) {
    context->registers.push_back(std::make_unique<DoorbellRegister>());
  }
  return context.release();
}

int close_device(ibv_context* context) {
  if (of(context).objects != 0) return EBUSY;
  destroy(&of(context));
  return 0;
}

int query_device(ibv_context* context, ibv_device_attr* attr) {
  const Nic& nic = *of(context).nic;
  const NicProfile& profile = nic.machine.nic;
  *attr = {};
  std::strncpy(attr->fw_ver, "1.0", sizeof attr->fw_ver - 1);
  attr->node_guid = nic.gid(0).global.interface_id;
  attr->sys_image_guid = attr->node_guid;
  attr->max_mr_size = UINT64_MAX;
  attr->page_size_cap = static_cast<std::uint64_t>(profile.page_bytes);
  attr->max_qp = static_cast<int>(profile.max_qp);
  attr->max_qp_wr = static_cast<int>(profile.max_qp_wr);
  attr->max_sge = attr->max_sge_rd = attr->max_srq_sge = static_cast<int>(profile.max_sge);
  attr->max_cq = attr->max_qp;
  attr->max_cqe = static_cast<int>(profile.max_cqe);
  attr->max_mr = static_cast<int>(profile.max_mr);
  attr->max_pd = attr->max_ah = attr->max_srq = 1 << 20;
  attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = static_cast<int>(profile.max_rd_atomic);
  attr->max_res_rd_atom = attr->max_qp_rd_atom * attr->max_qp;
  attr->atomic_cap = IBV_ATOMIC_HCA;
  attr->max_srq_wr = static_cast<int>(profile.max_srq_wr);
  attr->max_pkeys = 1;
  attr->phys_port_cnt = 1;
  return 0;
}

int query_port(ibv_context* context, std::uint8_t port, ibv_port_attr* attr) {
  if (port != 1) return EINVAL;
  const Nic& nic = *of(context).nic;
  *attr = {};
  attr->state = IBV_PORT_ACTIVE;
  attr->max_mtu = IBV_MTU_4096;
  attr->active_mtu = IBV_MTU_256;
  for (std::int64_t mtu = 256; mtu < nic.machine.nic.path_mtu; mtu *= 2) {
    attr->active_mtu = static_cast<ibv_mtu>(attr->active_mtu + 1);
  }
  attr->gid_tbl_len = 2;
  attr->max_msg_sz = 1U << 31;
  attr->pkey_tbl_len = 1;
  attr->lid = nic.lid();
  attr->max_vl_num = 4;
  attr->active_width = 2;   // 4x
  attr->active_speed = 32;  // EDR
  attr->phys_state = 5;     // link up
  attr->link_layer = IBV_LINK_LAYER_INFINIBAND;
  if (nic.machine.nic.ethernet != 0) {
    attr->link_layer = IBV_LINK_LAYER_ETHERNET;
    attr->lid = 0;
  }
  return 0;
}

int query_gid(ibv_context* context, std::uint8_t port, int index, ibv_gid* gid) {
  if (port != 1 || index < 0 || index > 1) {
    errno = EINVAL;
    return -1;
  }
  *gid = of(context).nic->gid(index);
  return 0;
}

int query_gid_type(ibv_context* context, std::uint8_t port, unsigned index, ibv_gid_entry* entry) {
  if (port != 1 || index > 1) return EINVAL;
  *entry = {};
  entry->gid = of(context).nic->gid(static_cast<int>(index));
  entry->gid_index = index;
  entry->port_num = port;
  const bool ethernet = of(context).nic->machine.nic.ethernet != 0;
  entry->gid_type = !ethernet    ? IBV_GID_TYPE_IB
                    : index == 0 ? IBV_GID_TYPE_ROCE_V1
                                 : IBV_GID_TYPE_ROCE_V2;
  return 0;
}

// --- Protection domains and memory.

ibv_pd* alloc_pd(ibv_context* context) {
  auto pd = std::make_unique<ProtectionDomain>();
  pd->context = context;
  ++of(context).objects;
  return pd.release();
}

int dealloc_pd(ibv_pd* pd) {
  auto& own = *static_cast<ProtectionDomain*>(pd);
  if (own.objects != 0) return EBUSY;
  if (own.parent != nullptr) --own.parent->objects;
  if (own.thread_domain != nullptr) --own.thread_domain->objects;
  --context_of(pd).objects;
  destroy(&own);
  return 0;
}

/// Registers that thread domains gave back are used again.
std::size_t free_register(VerbsContext& context) {
  const auto shared = static_cast<std::size_t>(context.nic->machine.nic.doorbell_registers);
  for (std::size_t i = shared; i < context.registers.size(); ++i) {
    if (context.registers[i] == nullptr) return i;
  }
  context.registers.emplace_back();
  return context.registers.size() - 1;
}

ibv_td* alloc_td(ibv_context* context, ibv_td_init_attr* init) {
  VerbsContext& own = of(context);
  if (init->comp_mask != 0) return fail<ibv_td>(EINVAL);
  const std::int64_t most = own.nic->machine.nic.thread_doorbell_registers;
  if (own.thread_registers >= most) return fail<ibv_td>(most == 0 ? EOPNOTSUPP : ENOMEM);
  auto td = std::make_unique<ThreadDomain>();
  td->context = context;
  const std::size_t place = free_register(own);
  own.registers[place] = std::make_unique<DoorbellRegister>();
  td->doorbell_register = static_cast<std::uint16_t>(place);
  ++own.thread_registers;
  ++own.objects;
  return td.release();
}

int dealloc_td(ibv_td* td) {
  auto& own = *static_cast<ThreadDomain*>(td);
  if (own.objects != 0) return EBUSY;
  VerbsContext& context = context_of(td);
  context.registers[own.doorbell_register] = nullptr;
  --context.thread_registers;
  --context.objects;
  destroy(&own);
  return 0;
}

ibv_pd* alloc_parent_domain(ibv_context* context, ibv_parent_domain_init_attr* init) {
  auto* parent = static_cast<ProtectionDomain*>(init->pd);
  const bool usable = parent != nullptr && init->comp_mask == 0 && parent->parent == nullptr &&
                      parent->context == context &&
                      (init->td == nullptr || init->td->context == context);
  if (!usable) return fail<ibv_pd>(EINVAL);
  auto pd = std::make_unique<ProtectionDomain>();
  pd->context = context;
  pd->parent = parent;
  pd->thread_domain = static_cast<ThreadDomain*>(init->td);
  ++parent->objects;
  if (pd->thread_domain != nullptr) ++pd->thread_domain->objects;
  ++of(context).objects;
  return pd.release();
}

ibv_mr* reg_mr(ibv_pd* pd, void* address, std::size_t length, int access) {
  constexpr int kRemoteWrites = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
  if ((access & kRemoteWrites) != 0 && (access & IBV_ACCESS_LOCAL_WRITE) == 0) {
    return fail<ibv_mr>(EINVAL);
  }
  auto region = std::make_unique<MemoryRegion>();
  region->context = pd->context;
  region->pd = pd;
  region->addr = address;
  region->length = length;
  context_of(pd).nic->add_region(*region, access);
  ++static_cast<ProtectionDomain*>(pd)->objects;
  return region.release();
}

int dereg_mr(ibv_mr* mr) {
  auto& region = *static_cast<MemoryRegion*>(mr);
  context_of(mr).nic->remove_region(region);
  --static_cast<ProtectionDomain*>(mr->pd)->objects;
  destroy(&region);
  return 0;
}

void attach_first_touch(ibv_mr* mr, rdma::FirstTouchMemory* memory) {
  context_of(mr).nic->find_region(mr->lkey)->first_touch = memory;
}

void attach_buffers(ibv_mr* mr, rdma::BufferMemory* buffers) {
  context_of(mr).nic->find_region(mr->lkey)->buffers = buffers;
}

// --- Completion and receive queues.

ibv_comp_channel* create_comp_channel(ibv_context*) { return fail<ibv_comp_channel>(ENOSYS); }
int destroy_comp_channel(ibv_comp_channel*) { return ENOSYS; }

ibv_cq* create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                  int vector) {
  if (channel != nullptr) return fail<ibv_cq>(ENOSYS);
  if (cqe < 1 || cqe > of(context).nic->machine.nic.max_cqe || vector < 0 || vector >= 1) {
    return fail<ibv_cq>(EINVAL);
  }
  auto cq = std::make_unique<CompletionQueue>();
  cq->context = context;
  cq->cq_context = cq_context;
  cq->cqe = cqe;
  cq->capacity = static_cast<std::uint32_t>(cqe);
  cq->nic = of(context).nic;
  of(context).node->queue_pairs().add(cq.get());
  ++of(context).objects;
  return cq.release();
}

int destroy_cq(ibv_cq* cq) {
  auto& own = *static_cast<CompletionQueue*>(cq);
  if (own.queue_pairs != 0) return EBUSY;
  Node& node = *context_of(cq).node;
  if (own.poller != nullptr) own.poller->polls_no_more(own.polled, own.count, node.now());
  node.queue_pairs().remove(&own);
  --context_of(cq).objects;
  destroy(&own);
  return 0;
}

ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* init) {
  const NicProfile& profile = context_of(pd).nic->machine.nic;
  if (init->attr.max_wr < 1 || init->attr.max_wr > static_cast<std::uint64_t>(profile.max_srq_wr) ||
      init->attr.max_sge > static_cast<std::uint64_t>(profile.max_sge)) {
    return fail<ibv_srq>(EINVAL);
  }
  auto srq = std::make_unique<SharedReceiveQueue>();
  srq->context = pd->context;
  srq->srq_context = init->srq_context;
  srq->pd = pd;
  srq->queue.capacity = init->attr.max_wr;
  srq->queue.max_sge = init->attr.max_sge = std::max(1U, init->attr.max_sge);
  context_of(pd).node->queue_pairs().add(srq.get());
  ++static_cast<ProtectionDomain*>(pd)->objects;
  return srq.release();
}

int destroy_srq(ibv_srq* srq) {
  auto& own = *static_cast<SharedReceiveQueue*>(srq);
  if (own.queue_pairs != 0) return EBUSY;
  context_of(srq).node->queue_pairs().remove(&own);
  --static_cast<ProtectionDomain*>(srq->pd)->objects;
  destroy(&own);
  return 0;
}

// --- Queue pairs and address handles.

ibv_qp* create_qp(ibv_pd* pd, ibv_qp_init_attr* init) {
  const NicProfile& profile = context_of(pd).nic->machine.nic;
  ibv_qp_cap& cap = init->cap;
  const bool known =
      init->qp_type == IBV_QPT_RC || init->qp_type == IBV_QPT_UC || init->qp_type == IBV_QPT_UD;
  if (!known) return fail<ibv_qp>(EOPNOTSUPP);
  const auto most_requests = static_cast<std::uint64_t>(profile.max_qp_wr);
  const auto most_pieces = static_cast<std::uint64_t>(profile.max_sge);
  if (init->send_cq == nullptr || init->recv_cq == nullptr || cap.max_send_wr > most_requests ||
      cap.max_recv_wr > most_requests || cap.max_send_sge > most_pieces ||
      cap.max_recv_sge > most_pieces ||
      cap.max_inline_data > static_cast<std::uint64_t>(profile.max_inline)) {
    return fail<ibv_qp>(EINVAL);
  }
  cap.max_send_sge = std::max(1U, cap.max_send_sge);
  cap.max_recv_sge = std::max(1U, cap.max_recv_sge);
  QueuePair* qp =
      context_of(pd).node->queue_pairs().create(*static_cast<ProtectionDomain*>(pd), *init);
  return qp == nullptr ? fail<ibv_qp>(ENOMEM) : qp->handle_for_user();
}

int modify_qp(ibv_qp* qp, ibv_qp_attr* attr, int mask) {
  return modify_queue_pair(*context_of(qp).node, *QueuePair::of(qp), *attr, mask);
}

int query_qp(ibv_qp* qp, ibv_qp_attr* attr, int, ibv_qp_init_attr* init) {
  return query_queue_pair(*QueuePair::of(qp), *attr, *init);
}

int destroy_qp(ibv_qp* qp) {
  context_of(qp).node->queue_pairs().destroy(*QueuePair::of(qp));
  return 0;
}

ibv_ah* create_ah(ibv_pd* pd, ibv_ah_attr* attr) {
  const Node& node = *context_of(pd).node;
  Nic* to = attr->is_global != 0 ? node.find_nic(attr->grh.dgid) : nullptr;
  if (to == nullptr) to = node.find_nic(attr->dlid);
  if (to == nullptr || attr->port_num != 1) return fail<ibv_ah>(EINVAL);
  auto ah = std::make_unique<AddressHandle>();
  ah->context = pd->context;
  ah->pd = pd;
  ah->lead_to(to->lid(), attr->is_global != 0);
  ++static_cast<ProtectionDomain*>(pd)->objects;
  return ah.release();
}

int destroy_ah(ibv_ah* ah) {
  --static_cast<ProtectionDomain*>(ah->pd)->objects;
  destroy(static_cast<AddressHandle*>(ah));
  return 0;
}

}  // namespace

void select_node(Cluster& cluster, NodeId node) { selection = {&cluster, node}; }

void deselect_node(const Cluster& cluster) {
  if (selection.cluster == &cluster) selection = {};
}

const rdma::VerbsTable& sim_verbs_table() {
  static const rdma::VerbsTable k_table = {
      .get_device_list = get_device_list,
      .free_device_list = free_device_list,
      .get_device_name = get_device_name,
      .open_device = open_device,
      .close_device = close_device,
      .query_device = query_device,
      .query_port = query_port,
      .query_gid = query_gid,
      .query_gid_type = query_gid_type,
      .alloc_pd = alloc_pd,
      .dealloc_pd = dealloc_pd,
      .alloc_td = alloc_td,
      .dealloc_td = dealloc_td,
      .alloc_parent_domain = alloc_parent_domain,
      .reg_mr = reg_mr,
      .dereg_mr = dereg_mr,
      .create_comp_channel = create_comp_channel,
      .destroy_comp_channel = destroy_comp_channel,
      .create_cq = create_cq,
      .destroy_cq = destroy_cq,
      .create_srq = create_srq,
      .destroy_srq = destroy_srq,
      .create_qp = create_qp,
      .modify_qp = modify_qp,
      .query_qp = query_qp,
      .destroy_qp = destroy_qp,
      .create_ah = create_ah,
      .destroy_ah = destroy_ah,
      .attach_first_touch = attach_first_touch,
      .attach_buffers = attach_buffers,
      .prism = &sim_prism_table(),
  };
  return k_table;
}

}  // namespace verbena::simnic
