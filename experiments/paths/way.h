// The way of a transaction, or of something that it waits for, one part after the other.
#pragma once

#include <utility>
#include <vector>

#include "experiments/paths/part.h"
#include "rdma/base/time.h"

namespace verbena::experiments {

/// Parts that follow each other without a gap.
class Way {
 public:
  struct Segment {
    Part part;
    bool begins_request;  ///< a request is posted with it
    Picoseconds until;
  };

  Way() = default;
  explicit Way(Picoseconds begin) : begin_(begin) {}

  Picoseconds begin() const { return begin_; }
  Picoseconds until() const { return segments_.empty() ? begin_ : segments_.back().until; }
  const std::vector<Segment>& segments() const { return segments_; }

  /// It is `part` until `until`; nothing happens when that has passed.
  void go_on(Part part, Picoseconds until);
  /// Begins another request: the next parts are its own.
  void begin_request() { request_begins_ = true; }

  /// Where this way branched off at its begin, `branch` was what counted: it takes the place of
  /// what came after. `branch` must not begin before this way does.
  void take(const Way& branch);

 private:
  void cut(Picoseconds at);

  Picoseconds begin_ = 0;
  std::vector<Segment> segments_;
  bool request_begins_ = false;
};

}  // namespace verbena::experiments
