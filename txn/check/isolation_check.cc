// Levels and their checks.
#include "txn/check/isolation_check.h"

#include <array>
#include <stdexcept>
#include <string>

namespace verbena::txn {
namespace {

struct Check {
  Isolation isolation;
  std::optional<Violation> (*violation)(const History& history);
};

constexpr std::array kChecks = {
    Check{Isolation::kStrictSerializability, strict_serializability_violation},
    Check{Isolation::kSerializability, serializability_violation}};

const Check* check_of(Isolation isolation) {
  for (const Check& check : kChecks) {
    if (check.isolation == isolation) return &check;
  }
  return nullptr;
}

}  // namespace

bool can_check(Isolation isolation) { return check_of(isolation) != nullptr; }

std::optional<Violation> violation(Isolation isolation, const History& history) {
  const Check* check = check_of(isolation);
  if (check == nullptr) {
    throw std::logic_error(std::string("histories are not checked for ") +
                           isolation_name(isolation));
  }
  return check->violation(history);
}

}  // namespace verbena::txn
