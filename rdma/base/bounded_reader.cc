// The texts by which bytes are refused.
#include "rdma/base/bounded_reader.h"

#include <string>

#include "rdma/base/errors.h"

namespace verbena {

void BoundedReader::refuse(std::size_t wanted) const {
  throw Malformed("ends too early: of " + std::to_string(wanted) + " B at byte " +
                  std::to_string(bytes_ - rest_.size()) + " there are " +
                  std::to_string(rest_.size()));
}

void BoundedReader::refuse_rest(std::size_t each) const {
  throw Malformed("has " + std::to_string(rest_.size()) + " B from byte " +
                  std::to_string(bytes_ - rest_.size()) + " on; allowed " +
                  (each == 0 ? "are none" : "is a multiple of " + std::to_string(each) + " B"));
}

void refuse_value(std::uint64_t value, std::uint64_t least, std::uint64_t most, const char* what) {
  throw Malformed(
      std::string("has ") + what + " " + std::to_string(value) + "; allowed " +
      (least > most ? "is none" : "are " + std::to_string(least) + " to " + std::to_string(most)));
}

}  // namespace verbena
