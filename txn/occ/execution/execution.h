// Execution phase: rounds of requests until all wanted records are read (DrTM+H paper, section 5.1;
// speculative execution, section 6.1).
#pragma once

#include <cstddef>

#include "txn/occ/attempt/attempt.h"
#include "txn/occ/execution/look_up.h"

namespace verbena::txn::occ {

/// Fetches the attempt's records in the order in which they were wanted: all new ones at once if
/// the plan lets requests be outstanding, otherwise one after the other. Belongs to the
/// transaction's fiber.
class Execution {
 public:
  /// Both arguments must outlive it.
  Execution(Attempt& attempt, LookUp& look_up) : attempt_(attempt), look_up_(look_up) {}

  void begin();

  /// Settles new local records; sends the first requests for the others if the plan lets them be
  /// outstanding.
  void prefetch();

  /// Waits until all records are settled or the attempt is doomed.
  void fetch();

  /// Waits for the requests in flight, even if the attempt is doomed: their memory will be reused,
  /// and a call may have locked a record. To be called before the attempt uses its requests or
  /// calls for other purposes.
  void await_outstanding();

  /// Time from the first request for a remote record to the last answer, other work between
  /// included; 0 without any.
  Nanoseconds remote_time() const { return last_answer_ - first_request_; }

  /// True if all records were fetched.
  bool complete() { return fetched_ == attempt_.accesses().size(); }

 private:
  void start(std::size_t first, std::size_t last, bool remote_too);
  bool post_round(std::size_t first, std::size_t last);
  void finish_rounds(std::size_t first, std::size_t last);

  Attempt& attempt_;
  LookUp& look_up_;
  std::size_t started_ = 0;   // accesses fetched or in flight
  std::size_t fetched_ = 0;   // accesses at the front that are settled
  bool outstanding_ = false;  // true: requests are in flight
  Nanoseconds first_request_ = 0;
  Nanoseconds last_answer_ = 0;
};

}  // namespace verbena::txn::occ
