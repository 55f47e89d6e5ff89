// Names of the kinds of CPU work.
#include "rdma/seam/work.h"

namespace verbena::rdma {

const char* work_name(Work work) {
  switch (work) {
    case Work::kEventLoop:
      return "event_loop";
    case Work::kFiberSwitch:
      return "fiber_switch";
    case Work::kRpcBuild:
      return "rpc_build";
    case Work::kRpcDispatch:
      return "rpc_dispatch";
    case Work::kPollLine:
      return "poll_line";
    case Work::kCopyLine:
      return "copy_line";
    case Work::kCacheProbe:
      return "cache_probe";
    case Work::kIndexProbe:
      return "index_probe";
    case Work::kIndexInsert:
      return "index_insert";
    case Work::kRecordAccess:
      return "record_access";
    case Work::kLocalAtomic:
      return "local_atomic";
    case Work::kLogApply:
      return "log_apply";
    case Work::kPrismOp:
      return "prism_op";
    case Work::kHostAccess:
      return "host_access";
    case Work::kCrcLine:
      return "crc_line";
    case Work::kTransactionInput:
      return "transaction_input";
    case Work::kTransactionSetup:
      return "transaction_setup";
    case Work::kTransactionStep:
      return "transaction_step";
    case Work::kCount:
      break;
  }
  return "unknown";
}

const char* activity_name(Activity activity) {
  switch (activity) {
    case Activity::kTransactions:
      return "transactions";
    case Activity::kCopying:
      return "copying";
    case Activity::kRpc:
      return "RPC";
    case Activity::kScheduling:
      return "scheduling";
    case Activity::kPosting:
      return "posting";
    case Activity::kPolling:
      return "polling";
    case Activity::kEmptyPolls:
      return "empty polls";
    case Activity::kLocks:
      return "locks";
    case Activity::kSharing:
      return "sharing";
    case Activity::kCount:
      break;
  }
  return "unknown";
}

}  // namespace verbena::rdma
