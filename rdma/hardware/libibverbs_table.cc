// The verbs table that libibverbs itself implements.
#include "rdma/hardware/libibverbs_table.h"

#include <infiniband/verbs.h>

namespace verbena::rdma {
namespace {

VerbsTable make_table() {
  VerbsTable table{};
  table.get_device_list = ibv_get_device_list;
  table.free_device_list = ibv_free_device_list;
  table.get_device_name = ibv_get_device_name;
  table.open_device = ibv_open_device;
  table.close_device = ibv_close_device;
  table.query_device = ibv_query_device;
  // Several of libibverbs' names are macros or inline functions in front of versioned symbols.
  table.query_port = [](ibv_context* context, uint8_t port, ibv_port_attr* attr) {
    return ibv_query_port(context, port, attr);
  };
  table.query_gid = ibv_query_gid;
  table.query_gid_type = [](ibv_context* context, uint8_t port, unsigned index,
                            ibv_gid_entry* entry) {
    return ibv_query_gid_ex(context, port, index, entry, 0);
  };
  table.alloc_pd = ibv_alloc_pd;
  table.dealloc_pd = ibv_dealloc_pd;
  table.alloc_td = ibv_alloc_td;
  table.dealloc_td = ibv_dealloc_td;
  table.alloc_parent_domain = ibv_alloc_parent_domain;
  table.reg_mr = [](ibv_pd* pd, void* address, size_t length, int access) {
    return ibv_reg_mr(pd, address, length, static_cast<unsigned>(access));
  };
  table.dereg_mr = ibv_dereg_mr;
  table.create_comp_channel = ibv_create_comp_channel;
  table.destroy_comp_channel = ibv_destroy_comp_channel;
  table.create_cq = ibv_create_cq;
  table.destroy_cq = ibv_destroy_cq;
  table.create_srq = ibv_create_srq;
  table.destroy_srq = ibv_destroy_srq;
  table.create_qp = ibv_create_qp;
  table.modify_qp = ibv_modify_qp;
  table.query_qp = ibv_query_qp;
  table.destroy_qp = ibv_destroy_qp;
  table.create_ah = ibv_create_ah;
  table.destroy_ah = ibv_destroy_ah;
  table.attach_first_touch = nullptr;
  table.attach_buffers = nullptr;
  return table;
}

}  // namespace

const VerbsTable& libibverbs_table() {
  static const VerbsTable table = make_table();
  return table;
}

}  // namespace verbena::rdma
