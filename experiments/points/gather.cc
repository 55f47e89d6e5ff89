// Files of the same names elsewhere.
#include "experiments/points/gather.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <system_error>

#include "experiments/config/keys/units.h"
#include "experiments/report/files/output_file.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

fs::path points_of(const std::string& directory) { return fs::path(directory) / "points"; }

void check_directories(const std::vector<std::string>& directories) {
  for (const std::string& directory : directories) {
    std::error_code error;
    if (fs::is_directory(points_of(directory), error)) continue;
    throw ConfigurationError(
        fmt::format("--gather {0}: is no directory of results: there is no directory {0}/points",
                    printable(directory)));
  }
}

// Takes the result from the first directory that has it; false when none has.
bool take(const MeasuringCommand& point, const std::vector<std::string>& directories,
          const std::string& file) {
  for (const std::string& directory : directories) {
    const std::string there = (points_of(directory) / fs::path(file).filename()).string();
    const std::optional<PointResult> result = PointStore::find(there, point);
    if (!result) continue;
    OutputFile(file, "--out").commit(result->document, false);
    return true;
  }
  return false;
}

}  // namespace

void gather_points(const std::vector<const MeasuringCommand*>& points,
                   const std::vector<std::string>& directories, PointStore& store) {
  check_directories(directories);
  std::set<std::string> files;
  std::string first;
  std::size_t missing = 0;
  for (const MeasuringCommand* point : points) {
    const std::string file = store.file_of(*point);
    if (!files.insert(file).second || PointStore::find(file, *point)) continue;
    if (take(*point, directories, file)) continue;
    if (missing++ == 0) first = point->record().command_line();
  }
  if (missing == 0) return;
  throw ConfigurationError(
      fmt::format("--gather {}: has {} of {}, by this program, with its libraries and profiles; "
                  "missing {} {}{}, "
                  "which the same command measures without --gather",
                  printable(fmt::format("{}", fmt::join(directories, ","))), files.size() - missing,
                  counted(files.size(), "point"), missing == 1 ? "is" : "are", first,
                  missing == 1 ? "" : fmt::format(" and {} more", missing - 1)));
}

}  // namespace verbena::experiments
