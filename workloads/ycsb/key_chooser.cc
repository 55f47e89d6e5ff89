// Drawing records by popularity and place.
#include "workloads/ycsb/key_chooser.h"

#include <cassert>

namespace verbena::workloads::ycsb {

KeyChooser::KeyChooser(const KeyChoice& choice, const ClientPlace& client)
    : choice_(choice),
      home_(client.home),
      client_((std::uint64_t{client.home} << kWorkerBits | client.worker) << kFiberBits |
              client.fiber) {
  assert(client.fiber < 1U << kFiberBits && client.worker < 1U << kWorkerBits);
  assert(client_ < std::uint64_t{1} << kClientBits);
}

Place KeyChooser::existing(Random& random) const {
  Place place;
  if (choice_.distribution == Distribution::kLatest) {
    const std::uint64_t rank = choice_.ranks.draw(random) - 1;
    if (rank < inserted_) return own(inserted_ - 1 - rank);
    const std::uint64_t records = choice_.space.records();
    place = choice_.space.place(records - 1 - (rank - inserted_));
  } else {
    place = choice_.space.place(number(random));
  }
  if (choice_.local_percent) {
    place.partition = random.below(100) < *choice_.local_percent ? home_ : other(random.next());
  }
  return place;
}

std::uint64_t KeyChooser::number(Random& random) const {
  if (choice_.distribution == Distribution::kUniform) return random.below(choice_.space.records());
  return choice_.numbers(choice_.ranks.draw(random) - 1);
}

// The place follows from client and number, so that it need not be remembered.
Place KeyChooser::own(std::uint64_t insertion) const {
  SplitMix random(mix64(client_) ^ insertion);
  const std::uint64_t hash = random.next();
  auto partition = static_cast<txn::PartitionId>(hash % choice_.space.nodes);
  if (choice_.local_percent) {
    partition = hash % 100 < *choice_.local_percent ? home_ : other(random.next());
  }
  const std::uint64_t odd = choice_.insertions(insertion << kClientBits | client_);
  return {.partition = partition, .key = 2 * odd + 1};
}

// Any partition but the client's own, if there is another.
txn::PartitionId KeyChooser::other(std::uint64_t random) const {
  const std::uint32_t nodes = choice_.space.nodes;
  if (nodes == 1) return home_;
  const auto number = static_cast<txn::PartitionId>(random % (nodes - 1));
  return number < home_ ? number : static_cast<txn::PartitionId>(number + 1);
}

}  // namespace verbena::workloads::ycsb
