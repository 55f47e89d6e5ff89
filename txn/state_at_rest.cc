// Answers of systems that do not scan to those who ask them to.
#include "txn/state_at_rest.h"

#include <stdexcept>

namespace verbena::txn {

void StateAtRest::scan(const KeyRange&, const KeyVisitor&) {
  throw std::logic_error("a system without scans was asked to scan");
}

std::uint64_t StateAtRest::count(const KeyRange&) {
  throw std::logic_error("a system without scans was asked to count what a scan would visit");
}

}  // namespace verbena::txn
