// A file with the points of the code that a run reached.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "experiments/report/files/output_file.h"
#include "rdma/base/reached_points.h"

namespace verbena::experiments {

/// The file of `run --reached`: one point per line, in order.
class ReachedFile {
 public:
  /// Opens the file at `path`; an empty `path` means no file. Throws as OutputFile does.
  explicit ReachedFile(const std::string& path);

  /// Where runs record their points; null if there is no file.
  ReachedPoints* points() { return file_ ? &points_ : nullptr; }

  /// Writes the file. Throws as OutputFile does.
  void commit() const;

 private:
  std::optional<OutputFile> file_;
  ReachedPoints points_;
};

/// Adds the points in the file of another process. The file may be missing: the process may have
/// ended before it wrote it.
void add_reached(const std::string& path, std::set<std::string, std::less<>>& points);

}  // namespace verbena::experiments
