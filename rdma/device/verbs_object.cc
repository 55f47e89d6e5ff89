// Verbs calls that throw VerbsError instead of returning errno.
#include "rdma/device/verbs_object.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "rdma/base/errors.h"

namespace verbena::rdma {
namespace {

std::string errno_text(int error) {
  return std::string(std::strerror(error)) + " (errno " + std::to_string(error) + ")";
}

[[noreturn]] void fail(const VerbsTable& table, const char* call, ibv_device* device, int error) {
  throw VerbsError(std::string(call) + " on " + table.get_device_name(device) + ": " +
                   errno_text(error));
}

/// Some providers return -1 and set errno, others return errno.
int error_of(int result) { return result < 0 ? errno : result; }

std::string locked_memory_hint() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "";
  return "; this process may lock only " + std::to_string(limit.rlim_cur / 1024) +
         " KiB of memory, raise the limit with 'ulimit -l unlimited' (RLIMIT_MEMLOCK)";
}

}  // namespace

void throw_verbs_error(const VerbsTable& table, const char* call, ibv_context* context,
                       const ibv_qp* qp, int error) {
  std::string text = std::string(call) + " on " + table.get_device_name(context->device);
  if (qp != nullptr) text += ", queue pair " + std::to_string(qp->qp_num);
  throw VerbsError(text + ": " + errno_text(error));
}

VerbsContext open_device(const VerbsTable& table, ibv_device* device) {
  errno = 0;
  ibv_context* context = table.open_device(device);
  if (context == nullptr) fail(table, "ibv_open_device", device, errno);
  return {table, context};
}

ibv_device_attr query_device(const VerbsTable& table, ibv_context* context) {
  ibv_device_attr attr{};
  const int result = table.query_device(context, &attr);
  if (result != 0) fail(table, "ibv_query_device", context->device, error_of(result));
  return attr;
}

ibv_port_attr query_port(const VerbsTable& table, ibv_context* context, int port) {
  ibv_port_attr attr{};
  const int result = table.query_port(context, static_cast<std::uint8_t>(port), &attr);
  if (result != 0) fail(table, "ibv_query_port", context->device, error_of(result));
  return attr;
}

ProtectionDomain allocate_pd(const VerbsTable& table, ibv_context* context) {
  errno = 0;
  ibv_pd* pd = table.alloc_pd(context);
  if (pd == nullptr) fail(table, "ibv_alloc_pd", context->device, errno);
  return {table, pd};
}

CompletionQueue create_cq(const VerbsTable& table, ibv_context* context, int entries) {
  errno = 0;
  ibv_cq* cq = table.create_cq(context, entries, nullptr, nullptr, 0);
  if (cq == nullptr) fail(table, "ibv_create_cq", context->device, errno);
  return {table, cq};
}

MemoryRegistration register_memory(const VerbsTable& table, ibv_pd* pd, void* address,
                                   std::size_t bytes, int access, const std::string& what) {
  errno = 0;
  ibv_mr* mr = table.reg_mr(pd, address, bytes, access);
  if (mr == nullptr) {
    const int error = errno;
    throw VerbsError("ibv_reg_mr on " + std::string(table.get_device_name(pd->context->device)) +
                     " for " + what + " (" + std::to_string(bytes) + " bytes): " +
                     errno_text(error) + (error == ENOMEM ? locked_memory_hint() : ""));
  }
  return {table, mr};
}

QueuePair create_qp(const VerbsTable& table, ibv_pd* pd, ibv_qp_init_attr& attr) {
  errno = 0;
  ibv_qp* qp = table.create_qp(pd, &attr);
  if (qp == nullptr) fail(table, "ibv_create_qp", pd->context->device, errno);
  return {table, qp};
}

void modify_qp(const VerbsTable& table, ibv_qp* qp, ibv_qp_attr attr, int mask) {
  const int result = table.modify_qp(qp, &attr, mask);
  if (result != 0) throw_verbs_error(table, "ibv_modify_qp", qp->context, qp, error_of(result));
}

AddressHandle create_ah(const VerbsTable& table, ibv_pd* pd, ibv_ah_attr attr) {
  errno = 0;
  ibv_ah* ah = table.create_ah(pd, &attr);
  if (ah == nullptr) fail(table, "ibv_create_ah", pd->context->device, errno);
  return {table, ah};
}

std::string describe_completion(const VerbsTable& table, const ibv_qp* qp, const std::string& peer,
                                ibv_wc_status status, std::uint32_t vendor_error) {
  return "queue pair " + std::to_string(qp->qp_num) + " of " +
         table.get_device_name(qp->context->device) + " to " + peer + ": " +
         completion_status_name(status) + " (vendor code " + std::to_string(vendor_error) + ")";
}

const char* completion_status_name(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_SUCCESS:
      return "success";
    case IBV_WC_LOC_LEN_ERR:
      return "local length error";
    case IBV_WC_LOC_QP_OP_ERR:
      return "local queue pair operation error";
    case IBV_WC_LOC_EEC_OP_ERR:
      return "local EE context operation error";
    case IBV_WC_LOC_PROT_ERR:
      return "local protection error";
    case IBV_WC_WR_FLUSH_ERR:
      return "work request flushed";
    case IBV_WC_MW_BIND_ERR:
      return "memory window bind error";
    case IBV_WC_BAD_RESP_ERR:
      return "bad response";
    case IBV_WC_LOC_ACCESS_ERR:
      return "local access error";
    case IBV_WC_REM_INV_REQ_ERR:
      return "remote invalid request";
    case IBV_WC_REM_ACCESS_ERR:
      return "remote access error";
    case IBV_WC_REM_OP_ERR:
      return "remote operation error";
    case IBV_WC_RETRY_EXC_ERR:
      return "transport retry counter exceeded";
    case IBV_WC_RNR_RETRY_EXC_ERR:
      return "receiver-not-ready retry counter exceeded";
    case IBV_WC_REM_ABORT_ERR:
      return "remote aborted";
    case IBV_WC_FATAL_ERR:
      return "fatal error";
    case IBV_WC_RESP_TIMEOUT_ERR:
      return "response timeout";
    default:
      return "general error";
  }
}

}  // namespace verbena::rdma
