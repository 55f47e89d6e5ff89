// Names of the bench's operations, which are those of the enumeration in its order.
#include "experiments/bench/bench_options.h"

#include <algorithm>

#include "rdma/base/errors.h"

namespace verbena::experiments {

const std::vector<std::string>& operation_names() {
  static const std::vector<std::string> names = {
      "read",       "write",       "send",          "rpc",         "write-rpc", "cas",      "faa",
      "multi-read", "multi-write", "indirect-read", "prism-write", "allocate",  "prism-cas"};
  return names;
}

Operation operation_of(const std::string& name) {
  const auto& names = operation_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw ConfigurationError("unknown operation '" + name + "'");
  return static_cast<Operation>(found - names.begin());
}

bool is_call(Operation operation) {
  return operation == Operation::kRpc || operation == Operation::kWriteRpc;
}

bool is_prism(Operation operation) { return operation >= Operation::kIndirectRead; }

bool is_atomic(Operation operation) {
  return operation == Operation::kCompareAndSwap || operation == Operation::kFetchAndAdd;
}

std::uint64_t BenchOptions::carried_bytes() const {
  return std::uint64_t{payload_bytes} * objects + (is_call(operation) ? request_bytes : 0);
}

bool BenchOptions::served_by_nics() const {
  if (is_prism(operation)) return false;
  switch (operation) {
    case Operation::kSend:
    case Operation::kRpc:
    case Operation::kWriteRpc:
      return false;
    case Operation::kMultiRead:
    case Operation::kMultiWrite:
      return !two_sided;
    default:
      return true;
  }
}

void BenchResult::record_in_flight(Nanoseconds age, Nanoseconds after, std::uint32_t operations) {
  for (std::uint32_t i = 0; i < operations; ++i) in_flight.record(age);
  in_flight_until = std::max(in_flight_until, after);
}

void BenchResult::merge(const BenchResult& thread) {
  completed += thread.completed;
  total += thread.total;
  latency.merge(thread.latency);
  latency_batches.merge(thread.latency_batches);
  series.merge(thread.series);
  in_flight.merge(thread.in_flight);
  in_flight_until = std::max(in_flight_until, thread.in_flight_until);
  for (const auto& [name, count] : thread.counters) counters[name] += count;
  end = std::max(end, thread.end);
}

}  // namespace verbena::experiments
