// Finding out whether an attempt may commit at its timestamp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "txn/metrics.h"
#include "txn/prism_tx/attempt/client.h"
#include "txn/prism_tx/records/access.h"

namespace verbena::txn::prism_tx {

/// Prepares an attempt at all its records (PRISM paper, section 8.2, figure 8). A read stands if
/// nobody has prepared to write the record since the version that was read; then nobody will at a
/// time before this attempt's, since `read` has it. A write stands if no later attempt has prepared
/// to write it, nor to read it: the one compare-and-swap that raises `written` tells what `read`
/// was, which cannot grow by readers of older versions any more. The attempt's own read counts as
/// its own time.
class Validation {
 public:
  explicit Validation(Client& client) : client_(client) {}

  /// Validates what the accesses say, at `now`, in one round trip or two as options have it.
  /// Returns why the attempt cannot commit. Tells of each access whether `written` was raised.
  std::optional<AbortCause> prepare(std::span<Access> accesses, Timestamp now);

  /// The latest timestamp that the last prepare() met.
  Timestamp seen() const { return seen_; }

  /// A record that was read and that a client which has died had prepared to write.
  struct Lost {
    RecordName name;
    NodeId server;
    Timestamp written;  ///< of that client

    bool operator==(const Lost&) const = default;
  };
  /// One that the last prepare() met; none: it met none.
  const std::optional<Lost>& lost_to() const { return lost_to_; }

  /// When reads had been validated by themselves; 0: they were not.
  Nanoseconds reads_validated_at() const { return reads_validated_at_; }

 private:
  enum class Kind : std::uint8_t { kRead, kWrite, kUpdate };
  struct Step {
    Access* access;
    Kind kind;
    rdma::OpId first;  // of what was added with it
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
