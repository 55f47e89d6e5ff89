// The way of a transaction, or of something that it waits for: a sequence of parts.
#pragma once

#include <utility>
#include <vector>

#include "experiments/paths/part.h"
#include "rdma/base/time.h"

namespace verbena::experiments {

/// A sequence of parts without gaps.
class Way {
 public:
  struct Segment {
    Part part;
    bool begins_request;  ///< the part begins with the post of a request
    Picoseconds until;
  };

  Way() = default;
  explicit Way(Picoseconds begin) : begin_(begin) {}

  Picoseconds begin() const { return begin_; }
  Picoseconds until() const { return segments_.empty() ? begin_ : segments_.back().until; }
  const std::vector<Segment>& segments() const { return segments_; }

  /// Extends the way by `part` up to the time `until`; does nothing when the way has reached that
  /// time.
  void go_on(Part part, Picoseconds until);
  /// Marks the next part as the begin of another request.
  void begin_request() { request_begins_ = true; }

  /// Replaces the part of this way after the begin of `branch`, which branched off there, by
  /// `branch`. `branch` must not begin before this way does.
  void take(const Way& branch);

 private:
  void cut(Picoseconds at);

  Picoseconds begin_ = 0;
  std::vector<Segment> segments_;
  bool request_begins_ = false;
};

}  // namespace verbena::experiments
