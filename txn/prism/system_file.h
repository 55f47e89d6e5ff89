// Files that only name a system.
#pragma once

#include <string>
#include <string_view>

#include "txn/system.h"
#include "txn/system_info.h"

namespace verbena::txn::prism {

/// Returns name, description and source of the system that `text` describes; all else has its
/// default. Throws as system_words does.
SystemInfo named_info(const std::string& name, const std::string& file, std::string_view text);

/// Throws ConfigurationError when histories are asked for, which such systems do not write.
void check_histories(const SystemInfo& info, const Deployment& deployment);

}  // namespace verbena::txn::prism
