// Owners of verbs objects, and calls that throw VerbsError instead of returning errno.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "rdma/seam/verbs_table.h"

namespace verbena::rdma {

/// Owns a verbs object, and destroys it with the table's function `kDestroy`. Objects that depend
/// on it must be destroyed first, which declaring them later in a class ensures.
template <typename T, auto kDestroy>
class VerbsObject {
 public:
  VerbsObject() = default;
  VerbsObject(const VerbsTable& table, T* object) : table_(&table), object_(object) {}
  VerbsObject(VerbsObject&& other) noexcept
      : table_(other.table_), object_(std::exchange(other.object_, nullptr)) {}
  VerbsObject& operator=(VerbsObject&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~VerbsObject() {
    if (object_ != nullptr) (table_->*kDestroy)(object_);
  }

  T* get() const { return object_; }
  /// Gives up the object, which its taker has to destroy.
  T* release() { return std::exchange(object_, nullptr); }
  T* operator->() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  const VerbsTable* table_ = nullptr;
  T* object_ = nullptr;
};

using VerbsContext = VerbsObject<ibv_context, &VerbsTable::close_device>;
using ProtectionDomain = VerbsObject<ibv_pd, &VerbsTable::dealloc_pd>;
using ThreadDomain = VerbsObject<ibv_td, &VerbsTable::dealloc_td>;
using CompletionQueue = VerbsObject<ibv_cq, &VerbsTable::destroy_cq>;
using MemoryRegistration = VerbsObject<ibv_mr, &VerbsTable::dereg_mr>;
using QueuePair = VerbsObject<ibv_qp, &VerbsTable::destroy_qp>;
using AddressHandle = VerbsObject<ibv_ah, &VerbsTable::destroy_ah>;

/// Each throws VerbsError that names the call, the device, the queue pair if there is one, and
/// errno.
VerbsContext open_device(const VerbsTable& table, ibv_device* device);
ibv_device_attr query_device(const VerbsTable& table, ibv_context* context);
ibv_port_attr query_port(const VerbsTable& table, ibv_context* context, int port);
ProtectionDomain allocate_pd(const VerbsTable& table, ibv_context* context);
CompletionQueue create_cq(const VerbsTable& table, ibv_context* context, int entries);
/// `what` names the memory in the error; a locked-memory limit that is too low is explained.
MemoryRegistration register_memory(const VerbsTable& table, ibv_pd* pd, void* address,
                                   std::size_t bytes, int access, const std::string& what);
/// `attr` is updated with what the device granted.
QueuePair create_qp(const VerbsTable& table, ibv_pd* pd, ibv_qp_init_attr& attr);
void modify_qp(const VerbsTable& table, ibv_qp* qp, ibv_qp_attr attr, int mask);
AddressHandle create_ah(const VerbsTable& table, ibv_pd* pd, ibv_ah_attr attr);

/// Throws VerbsError for a failed post: "ibv_post_send on mlx5_0, queue pair 17: <errno text>".
[[noreturn]] void throw_verbs_error(const VerbsTable& table, const char* call, ibv_context* context,
                                    const ibv_qp* qp, int error);

/// Returns e.g. "queue pair 17 of mlx5_0 to node 3: transport retry counter exceeded (vendor code
/// 129)".
std::string describe_completion(const VerbsTable& table, const ibv_qp* qp, const std::string& peer,
                                ibv_wc_status status, std::uint32_t vendor_error);

/// Meaning of a completion status, in the words of the InfiniBand specification.
const char* completion_status_name(ibv_wc_status status);

}  // namespace verbena::rdma
