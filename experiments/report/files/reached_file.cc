// Points as lines.
#include "experiments/report/files/reached_file.h"

#include <fstream>
#include <utility>

namespace verbena::experiments {

ReachedFile::ReachedFile(const std::string& path) {
  if (!path.empty()) file_.emplace(path, "--reached");
}

void ReachedFile::commit() const {
  if (!file_) return;
  std::string text;
  for (const std::string& point : points_.points()) text += point + '\n';
  // Hunts read it at once, many a second.
  file_->commit(text, false);
}

void add_reached(const std::string& path, std::set<std::string, std::less<>>& points) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) points.insert(std::move(line));
}

}  // namespace verbena::experiments
