// The points of the code that a run came to, as a file.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "experiments/report/files/output_file.h"
#include "rdma/base/reached_points.h"

namespace verbena::experiments {

/// File of `run --reached`: a point a line, in their order.
class ReachedFile {
 public:
  /// An empty `path` stands for no file. Throws as OutputFile does.
  explicit ReachedFile(const std::string& path);

  /// Where runs tell their points; null if nobody wants to know.
  ReachedPoints* points() { return file_ ? &points_ : nullptr; }

  /// Writes the file. Throws as OutputFile does.
  void commit() const;

 private:
  std::optional<OutputFile> file_;
  ReachedPoints points_;
};

/// Adds the points that a file of another process has. There may be none: that process may have
/// ended before it wrote one.
void add_reached(const std::string& path, std::set<std::string, std::less<>>& points);

}  // namespace verbena::experiments
