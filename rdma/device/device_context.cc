// A verbs context with what belongs to it alone.
#include "rdma/device/device_context.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include "rdma/device/device_limits.h"

namespace verbena::rdma {
namespace {

constexpr int kRegionAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
                              IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

VerbsContext open_by_name(const VerbsTable& table, const std::string& name) {
  int count = 0;
  ibv_device** list = table.get_device_list(&count);
  const std::unique_ptr<ibv_device*, void (*)(ibv_device**)> owner(list, table.free_device_list);
  for (int i = 0; i < count; ++i) {
    if (name == table.get_device_name(list[i])) return open_device(table, list[i]);
  }
  throw VerbsError("ibv_get_device_list: device '" + name + "' has vanished");
}

}  // namespace

DeviceContext::DeviceContext(const VerbsTable& verbs_table, const PortSelection& port)
    : table(verbs_table),
      context(open_by_name(table, port.device)),
      attr(query_device(table, context.get())),
      pd(allocate_pd(table, context.get())) {}

void DeviceContext::register_regions(const std::vector<Region*>& all) {
  if (!regions.empty()) return;
  for (Region* region : all) {
    FirstTouchMemory& range = region->memory();
    regions.push_back(register_memory(table, pd.get(), range.base(), range.size(), kRegionAccess,
                                      "region '" + region->name() + "'"));
    if (table.attach_first_touch != nullptr) {
      table.attach_first_touch(regions.back().get(), &range);
    }
  }
}

OwnDoorbells DeviceContext::own_doorbells() const {
  const char* call = "ibv_alloc_td";
  OwnDoorbells own;
  errno = EOPNOTSUPP;
  if (table.alloc_td != nullptr) {
    ibv_td_init_attr attr{};
    own.domain = {table, table.alloc_td(context.get(), &attr)};
  }
  if (own.domain) {
    call = "ibv_alloc_parent_domain";
    ibv_parent_domain_init_attr attr{};
    attr.pd = pd.get();
    attr.td = own.domain.get();
    own.pd = {table, table.alloc_parent_domain(context.get(), &attr)};
  }
  if (own.pd) return own;
  throw DeviceLimitError(
      "thread_doorbell_registers",
      "context own-doorbells: device '" + std::string(table.get_device_name(context->device)) +
          "' has no thread domains (" + call + ": " + std::strerror(errno) + ")");
}

}  // namespace verbena::rdma
