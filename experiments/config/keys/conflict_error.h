// Error of values that are allowed one by one but not together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::experiments {

/// Values that do not go together. `what()` is one line that names them.
class ConflictError : public ConfigurationError {
 public:
  ConflictError(std::vector<std::string> keys, const std::string& text)
      : ConfigurationError(text), keys_(std::move(keys)) {}

  const std::vector<std::string>& keys() const { return keys_; }

 private:
  std::vector<std::string> keys_;
};

}  // namespace verbena::experiments
