// The control path of verbs as one table of functions, so that a run chooses its implementation.
#pragma once

#include <infiniband/verbs.h>

#include "rdma/seam/prismdv.h"

namespace verbena::rdma {

class BufferMemory;
class FirstTouchMemory;

/// libibverbs' control path: same names, arguments, results and errno values. The data path
/// (post_send, post_recv, poll_cq, req_notify_cq, post_srq_recv) needs no entry: libibverbs' inline
/// functions call through `ibv_context::ops`, which each implementation fills.
struct VerbsTable {
  ibv_device** (*get_device_list)(int* num_devices);
  void (*free_device_list)(ibv_device** list);
  const char* (*get_device_name)(ibv_device* device);
  ibv_context* (*open_device)(ibv_device* device);
  int (*close_device)(ibv_context* context);
  int (*query_device)(ibv_context* context, ibv_device_attr* attr);
  int (*query_port)(ibv_context* context, uint8_t port, ibv_port_attr* attr);
  int (*query_gid)(ibv_context* context, uint8_t port, int index, ibv_gid* gid);
  int (*query_gid_type)(ibv_context* context, uint8_t port, unsigned index, ibv_gid_entry* entry);
  ibv_pd* (*alloc_pd)(ibv_context* context);
  int (*dealloc_pd)(ibv_pd* pd);  ///< a parent domain too
  /// Thread and parent domains; null where the implementation has none.
  ibv_td* (*alloc_td)(ibv_context* context, ibv_td_init_attr* attr) = nullptr;
  int (*dealloc_td)(ibv_td* td) = nullptr;
  ibv_pd* (*alloc_parent_domain)(ibv_context* context, ibv_parent_domain_init_attr* attr) = nullptr;
  ibv_mr* (*reg_mr)(ibv_pd* pd, void* address, size_t length, int access);
  int (*dereg_mr)(ibv_mr* mr);
  ibv_comp_channel* (*create_comp_channel)(ibv_context* context);
  int (*destroy_comp_channel)(ibv_comp_channel* channel);
  ibv_cq* (*create_cq)(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                       int vector);
  int (*destroy_cq)(ibv_cq* cq);
  ibv_srq* (*create_srq)(ibv_pd* pd, ibv_srq_init_attr* attr);
  int (*destroy_srq)(ibv_srq* srq);
  ibv_qp* (*create_qp)(ibv_pd* pd, ibv_qp_init_attr* attr);
  int (*modify_qp)(ibv_qp* qp, ibv_qp_attr* attr, int mask);
  int (*query_qp)(ibv_qp* qp, ibv_qp_attr* attr, int mask, ibv_qp_init_attr* init);
  int (*destroy_qp)(ibv_qp* qp);
  ibv_ah* (*create_ah)(ibv_pd* pd, ibv_ah_attr* attr);
  int (*destroy_ah)(ibv_ah* ah);

  /// Tells the implementation that `mr` covers `memory`, whose pages it has to `touch` before the
  /// NIC accesses them. Null where the NIC cannot do that: then the memory is filled before it is
  /// registered.
  void (*attach_first_touch)(ibv_mr* mr, FirstTouchMemory* memory);

  /// Tells the implementation that `buffers` are in `mr`, and have their memory elsewhere. Null
  /// where buffers lie at their addresses.
  void (*attach_buffers)(ibv_mr* mr, BufferMemory* buffers);

  /// PRISM's operations; null where devices do not have them.
  const prismdv_table* prism = nullptr;
};

}  // namespace verbena::rdma
