// Files of the same settings elsewhere.
#include "experiments/points/gather.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "experiments/config/keys/units.h"
#include "experiments/report/build_info.h"
#include "experiments/report/files/output_file.h"
#include "rdma/base/errors.h"
#include "rdma/base/text/counted.h"

namespace verbena::experiments {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& directory, const std::string& why) {
  throw ConfigurationError(fmt::format("--gather {}: {}", refused_text(directory), why));
}

/// The results in a directory.
class Directory {
 public:
  explicit Directory(const std::string& name) : name_(name), points_(fs::path(name) / "points") {
    std::error_code error;
    for (fs::directory_iterator file(points_, error), end; !error && file != end;
         file.increment(error)) {
      const auto parts = parse_point_name(file->path().filename().string());
      if (parts) files_[parts->settings].push_back(*parts);
    }
    if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
      refuse(name, fmt::format("is no directory of results: there is no directory {}",
                               printable(points_.string())));
    }
    if (error) refuse(name, fmt::format("cannot be read: {}", error.message()));
  }

  /// A result of `point`, whose name would be `own` here. Nothing where there is none that can be
  /// taken; `why`, unless there is something already, then tells why.
  std::optional<PointResult> find(const MeasuringCommand& point, const PointName& own,
                                  std::string& why) const {
    const auto found = files_.find(own.settings);
    if (found == files_.end()) return std::nullopt;
    for (const PointName& name : found->second) {
      std::string wrong;
      try {
        PointResult result = PointStore::read((points_ / name.text()).string(), point);
        wrong = difference(result.versions, {build_commit(), library_versions()},
                           name.program == own.program);
        if (wrong.empty()) return result;
        wrong = fmt::format("{} has it {}", printable(name_), wrong);
      } catch (const ConfigurationError& error) {
        wrong = error.what();
      }
      if (why.empty()) why = wrong;
    }
    return std::nullopt;
  }

 private:
  std::string name_;
  fs::path points_;
  std::map<std::string, std::vector<PointName>> files_;  // by settings
};

/// Points of which there is no result.
struct Missing {
  std::string first;
  std::string why;
  std::size_t count = 0;

  void add(const MeasuringCommand& point, const std::string& reason) {
    if (count++ > 0) return;
    first = point.record().command_line();
    why = reason;
  }
};

void copy(const PointResult& result, const std::string& file) {
  OutputFile::in_directory(file).commit(result.document, false);
}

}  // namespace

std::string difference(const ProgramVersions& theirs, const ProgramVersions& own, bool same_file) {
  if (theirs.commit != own.commit) {
    return fmt::format("of commit {}, and this program is of {}", printable(theirs.commit),
                       own.commit);
  }
  const bool is_exact = own.commit != "unknown" && !own.commit.ends_with('+');
  if (!same_file && !is_exact) {
    return fmt::format("of another build of commit {}, whose uncommitted changes may differ",
                       own.commit);
  }
  for (const auto& [name, version] : own.libraries) {
    const auto found = theirs.libraries.find(name);
    const std::string other = found == theirs.libraries.end() ? "unknown" : found->second;
    if (other == version) continue;
    return fmt::format("with {} {}, and this program has {}", name, printable(other), version);
  }
  return "";
}

void gather_points(const std::vector<const MeasuringCommand*>& points,
                   const std::vector<std::string>& directories, const PointStore& store) {
  const std::vector<Directory> all(directories.begin(), directories.end());
  std::set<std::string> files;
  Missing missing;
  for (const MeasuringCommand* point : points) {
    const std::string file = store.file_of(*point);
    if (!files.insert(file).second || PointStore::find(file, *point)) continue;
    const PointName name = store.name_of(*point);
    std::string why;
    std::optional<PointResult> result;
    for (auto one = all.begin(); !result && one != all.end(); ++one) {
      result = one->find(*point, name, why);
    }
    if (result) {
      copy(*result, file);
    } else {
      missing.add(*point, why);
    }
  }
  if (missing.count == 0) return;
  refuse(fmt::format("{}", fmt::join(directories, ",")),
         fmt::format("has {} of {}; missing {} {}{}, which the same command measures without "
                     "--gather{}{}",
                     files.size() - missing.count, counted(files.size(), "point"),
                     missing.count == 1 ? "is" : "are", missing.first,
                     missing.count == 1 ? "" : fmt::format(" and {} more", missing.count - 1),
                     missing.why.empty() ? "" : "; ", missing.why));
}

}  // namespace verbena::experiments
