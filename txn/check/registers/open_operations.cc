// From who read a value to who wrote it, and on to the value that this one read.
#include "txn/check/registers/open_operations.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace verbena::txn {
namespace {

class OpenOperations {
 public:
  OpenOperations(ValueDigest initial, std::span<RegisterOperation> operations) {
    ++values_[initial].writers;
    for (RegisterOperation& operation : operations) {
      const bool open = operation.outcome == Outcome::kUnknown;
      if (open) {
        operation.effect = Effect::kNone;
        operation.ended = kAfterAll;
        values_[operation.written].open.push_back(&operation);
      } else if (operation.effect == Effect::kNone) {
        continue;
      }
      if (operation.writes) ++values_[operation.written].writers;
      if (operation.reads && !open) read(operation.read, operation.ended);
    }
  }

  // First what is certain.
  void resolve() {
    while (!to_do_.empty()) {
      const ValueDigest value = to_do_.back();
      to_do_.pop_back();
      possible_.push_back(value);
      Value& known = values_[value];
      if (known.writers != 1 || known.open.empty()) continue;
      RegisterOperation& writer = *known.open.front();
      writer.effect = Effect::kCertain;
      writer.ended = std::max(known.first_end, writer.began);
      if (writer.reads) read(writer.read, writer.ended);
    }
    while (!possible_.empty()) {
      const ValueDigest value = possible_.back();
      possible_.pop_back();
      for (RegisterOperation* writer : values_[value].open) {
        if (writer->effect != Effect::kNone) continue;
        writer->effect = Effect::kPossible;
        if (writer->reads) possible_.push_back(writer->read);
      }
    }
  }

 private:
  struct Value {
    std::uint32_t writers = 0;
    bool read = false;
    Moment first_end = kAfterAll;  // of who read it
    std::vector<RegisterOperation*> open;
  };

  void read(ValueDigest value, Moment ended) {
    Value& known = values_[value];
    known.first_end = std::min(known.first_end, ended);
    if (!known.read) to_do_.push_back(value);
    known.read = true;
  }

  std::unordered_map<ValueDigest, Value> values_;
  std::vector<ValueDigest> to_do_;     // values that were read
  std::vector<ValueDigest> possible_;  // or may have been
};

}  // namespace

void resolve_open_operations(ValueDigest initial, std::span<RegisterOperation> operations) {
  const bool any = std::ranges::any_of(operations, [](const RegisterOperation& operation) {
    return operation.outcome == Outcome::kUnknown;
  });
  if (any) OpenOperations(initial, operations).resolve();
}

}  // namespace verbena::txn
