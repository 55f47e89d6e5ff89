// Words of a file, and what all such systems refuse.
#include "txn/prism/system_file.h"

#include "rdma/base/errors.h"
#include "txn/plan/plan_file.h"

namespace verbena::txn::prism {

SystemInfo named_info(const std::string& name, const std::string& file, std::string_view text) {
  const SystemWords words = system_words(name, file, text);
  SystemInfo info;
  info.name = words.name;
  info.description = words.description;
  info.source = words.source;
  return info;
}

void check_histories(const SystemInfo& info, const Deployment& deployment) {
  if (!deployment.record_history) return;
  throw ConfigurationError("system '" + info.name + "' writes no histories");
}

}  // namespace verbena::txn::prism
