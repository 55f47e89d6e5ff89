// Validation of an attempt at its timestamp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "txn/metrics.h"
#include "txn/prism_tx/attempt/client.h"
#include "txn/prism_tx/records/access.h"

namespace verbena::txn::prism_tx {

/// Prepares an attempt at all its records (PRISM paper, section 8.2, figure 8). A read stands if no
/// attempt has prepared to write the record since the version read; then none will at an earlier
/// time than this attempt's, since `read` has it. A write stands if no later attempt has prepared
/// to write the record, or to read it. The one compare-and-swap that raises `written` also tells
/// `read`, which readers of older versions cannot raise any more. The attempt's own read counts as
/// its own time.
class Validation {
 public:
  explicit Validation(Client& client) : client_(client) {}

  /// Validates the accesses at `now`, in one round trip or two as options have it. Returns why the
  /// attempt cannot commit. Tells in each access if `written` was raised.
  std::optional<AbortCause> prepare(std::span<Access> accesses, Timestamp now);

  /// Returns the latest timestamp that the last prepare() met.
  Timestamp seen() const { return seen_; }

  /// A record that was read, and that a dead client had prepared to write.
  struct Lost {
    RecordName name;
    NodeId server;
    Timestamp written;  ///< timestamp of that client's attempt

    bool operator==(const Lost&) const = default;
  };
  /// Returns such a record that the last prepare() met, if any.
  const std::optional<Lost>& lost_to() const { return lost_to_; }

  /// Returns the time at which reads had been validated by themselves; 0: they were not.
  Nanoseconds reads_validated_at() const { return reads_validated_at_; }

 private:
  enum class Kind : std::uint8_t { kRead, kWrite, kUpdate };
  struct Step {
    Access* access;
    Kind kind;
    rdma::OpId first;  // first operation added for it
    std::uint32_t behind;
  };

  void add(Access& access, bool reads, bool writes, Timestamp now);
  rdma::Operation operation(const Access& access, Kind kind, Timestamp now) const;
  std::optional<AbortCause> carry_out(Timestamp now);
  std::optional<AbortCause> judge(const Step& step, Timestamp now);
  void note_writer(const Access& access, Timestamp written);
  std::optional<AbortCause> judge_read(const Step& step, Timestamp written);

  Client& client_;
  std::vector<Step> steps_;
  std::optional<Lost> lost_to_;
  Timestamp seen_ = 0;
  Nanoseconds reads_validated_at_ = 0;
};

}  // namespace verbena::txn::prism_tx
