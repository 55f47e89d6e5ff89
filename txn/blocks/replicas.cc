// Asking all, or as many as have to answer.
#include "txn/blocks/replicas.h"

#include <utility>

#include "rdma/base/random.h"

namespace verbena::txn::blocks {

Replicas::Replicas(std::vector<std::shared_ptr<Errands>> errands, Ask ask, std::uint64_t number)
    : errands_(std::move(errands)), ask_(ask), number_(number) {
  for (const auto& one : errands_) nodes_.push_back(one->replica());
}

std::uint32_t Replicas::quorum() const { return count() / 2 + 1; }

void Replicas::begin_operation(std::uint64_t block) {
  ++operation_;
  const std::uint64_t turn = ask_ == Ask::kBlockQuorum ? mix64(block) : number_ + operation_;
  first_ = static_cast<std::uint32_t>(turn % count());
  for (const auto& one : errands_) one->wait_for_room();
}

bool Replicas::ask(const MakeErrand& part) {
  const std::uint32_t wanted = ask_ == Ask::kAll ? count() : quorum();
  for (std::uint32_t i = 0; i < wanted; ++i) {
    const std::uint32_t place = (first_ + i) % count();
    errands_[place]->add(part(place));
  }
  return wanted < count();
}

void Replicas::ask_others(const std::shared_ptr<Phase>& phase, const MakeErrand& part) {
  for (std::uint32_t place = 0; place < count(); ++place) {
    if (!phase->asked(place)) errands_[place]->add(part(place));
  }
}

void Replicas::carry_out(const std::shared_ptr<Phase>& phase, const MakeErrand& part) {
  const bool others = ask(part);
  if (others && !phase->wait_for(quorum())) ask_others(phase, part);
  phase->require(quorum());
  phase->end();
}

}  // namespace verbena::txn::blocks
