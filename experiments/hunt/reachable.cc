// The tables of owners and of settings.
#include "experiments/hunt/reachable.h"

#include <algorithm>
#include <array>
#include <string>

#include "experiments/hunt/expected_points.h"
#include "txn/registry/load_system.h"

namespace verbena::experiments {
namespace {

/// Points whose names begin so are reached by systems of these protocols alone; the first row that
/// fits a point counts.
struct Owners {
  std::string_view points;
  std::array<std::string_view, 8> protocols;
};

constexpr std::array<std::string_view, 8> kNotify = {"nam",      "nam-naive", "occ",  "prism-kv",
                                                     "prism-rs", "prism-tx",  "si2pc"};

constexpr std::array kOwners = {
    Owners{"blocks: lock", {"abdlock"}},
    Owners{"blocks: client waits for a slow replica", {"prism-rs"}},
    Owners{"blocks: newer tag", {"prism-rs"}},
    Owners{"blocks: no free buffer", {"prism-rs"}},
    Owners{"blocks: tag", {"prism-rs"}},
    Owners{"blocks: version written", {"prism-rs"}},
    Owners{"blocks: write to a silent replica", {"prism-rs"}},
    Owners{"blocks: ", {"abdlock", "prism-rs"}},
    Owners{"index: bucket changes while it is looked through", {"occ", "si2pc"}},
    Owners{"index: link to another bucket followed", {"occ", "si2pc"}},
    Owners{"index: ", {"nam", "nam-naive", "occ", "si2pc"}},
    Owners{"kv: entry ", {"pilaf"}},
    Owners{"kv: object ", {"pilaf"}},
    Owners{"kv: put ", {"pilaf"}},
    Owners{"kv: ", {"prism-kv"}},
    Owners{"nam: allocated entries freed by who had them", {"nam", "nam-naive"}},
    Owners{"nam: checkpoint", {"nam"}},
    Owners{"nam: compute server is silent", {"nam"}},
    Owners{"nam: entry that was allocated to a dead server", {"nam"}},
    Owners{"nam: journal", {"nam"}},
    Owners{"nam: lock of a dead server", {"nam"}},
    Owners{"nam: queue pairs to a dead server", {"nam"}},
    Owners{"nam: record changes while it is saved", {"nam"}},
    Owners{"nam: record of a dead server", {"nam"}},
    Owners{"nam: transaction of a dead server", {"nam"}},
    Owners{"nam: transactions of a dead server", {"nam"}},
    Owners{"nam: ", {"nam", "nam-naive"}},
    Owners{"occ: ", {"occ"}},
    Owners{"one_sided: completion asked for by a READ", {"nam", "nam-naive", "occ"}},
    Owners{"one_sided: requests of one doorbell posted in parts", {"nam", "nam-naive", "occ"}},
    Owners{"one_sided: ", {"abdlock", "nam", "nam-naive", "occ", "pilaf"}},
    Owners{"prism: buffers ", {"prism-kv", "prism-rs", "prism-tx"}},
    Owners{"prism: client has never", {"pilaf", "prism-kv"}},
    Owners{"prism: client is silent", {"pilaf", "prism-kv", "prism-rs", "prism-tx"}},
    Owners{"prism: free list", {"prism-kv", "prism-tx"}},
    Owners{"prism: object", {"prism-kv", "prism-rs", "prism-tx"}},
    Owners{"prism: requests to a server in several", {"abdlock", "nam", "nam-naive", "occ"}},
    Owners{"prism: requests", {"nam", "nam-naive", "occ"}},
    Owners{"prism: server is silent", {"abdlock", "prism-rs"}},
    Owners{"prism: ", {"abdlock", "pilaf", "prism-kv", "prism-rs", "prism-tx"}},
    Owners{"prism_tx: ", {"prism-tx"}},
    Owners{"rpc: acknowledgement", kNotify},
    Owners{"rpc: another message carries", kNotify},
    Owners{"rpc: half of a window", kNotify},
    Owners{"rpc: notification", kNotify},
    Owners{"rpc: window of notifications", kNotify},
    Owners{"si2pc: ", {"si2pc"}},
    Owners{"store: backup", {"occ"}},
    Owners{"store: entry of an erased record not free yet", {"occ"}},
    Owners{"store: record changes while it is read", {"occ"}},
    Owners{"store: ", {"occ", "si2pc"}}};

/// Rooms of which rows above tell what hunts of a system draw, rather than what its code can do.
constexpr std::array<std::string_view, 5> kSharedRooms = {"index", "nam", "one_sided", "prism",
                                                          "rpc"};

/// Instead of a value: any number but 0.
constexpr std::string_view kSome = "some";

/// Points whose names begin so are not reached where `key` is set to `value`.
struct Excluded {
  std::string_view points;
  std::string_view key;
  std::string_view value;

  bool is_said(const Assignment& said) const {
    return said.key == key && (value == kSome ? said.value != "0" : said.value == value);
  }
};

constexpr std::array kExcluded = {
    Excluded{"nam: journal", "nam.journals", "0"},
    Excluded{"nam: checkpoint", "nam.journals", "0"},
    Excluded{"occ: backup", "replicas", "1"},
    Excluded{"occ: backup", "run.servers", kSome},
    Excluded{"occ: log ", "replicas", "1"},
    Excluded{"occ: log ", "run.servers", kSome},
    Excluded{"one_sided: ", "prism", "software"},
    Excluded{"blocks: tag", "prism.without", "nothing"},
    Excluded{"blocks: tag", "prism.without", "indirection"},
    Excluded{"blocks: tag", "prism.without", "allocation"},
    Excluded{"blocks: tag", "prism.without", "chaining"},
    Excluded{"prism: buffers of a dead client", "prism", "nic"},
    Excluded{"prism: buffers of a dead client", "prism.without", "indirection"},
    Excluded{"prism: buffers of a dead client", "prism.without", "allocation"},
    Excluded{"prism: buffers of a dead client", "prism.without", "cas"},
    Excluded{"prism: buffers of a dead client", "prism.without", "chaining"},
    Excluded{"prism: buffers taken", "prism.without", "nothing"},
    Excluded{"prism: buffers taken", "prism.without", "indirection"},
    Excluded{"prism: buffers taken", "prism.without", "cas"},
    Excluded{"prism: buffers taken", "prism.without", "chaining"},
    Excluded{"prism: object", "prism.without", "nothing"},
    Excluded{"prism: object", "prism.without", "allocation"},
    Excluded{"prism: object", "prism.without", "chaining"},
    Excluded{"prism: requests", "prism", "auto"},
    Excluded{"prism: requests", "prism", "nic"},
    Excluded{"store: backup", "replicas", "1"},
    Excluded{"store: backup", "run.servers", kSome},
    Excluded{"nic: rc_losses", "fabric.rc_loss", "0"},
    Excluded{"nic: ud_", "rdma.rpc_transport", "write-ring"},
    Excluded{"rpc: message waits for room in a peer's ring", "rdma.rpc_transport", "ud"},
    Excluded{"rpc: writer told of room in its ring", "rdma.rpc_transport", "ud"}};

}  // namespace

ReachablePoints::ReachablePoints(const HuntGround& ground) : ground_(ground) {
  for (const std::string& system : ground.systems) {
    protocols_.push_back(txn::protocol_of_system(system));
  }
}

bool ReachablePoints::is_owned(std::string_view point) const {
  const auto* const owners = std::ranges::find_if(
      kOwners, [&](const Owners& row) { return point.starts_with(row.points); });
  return owners == kOwners.end() ||
         std::ranges::any_of(protocols_, [&](const std::string& protocol) {
           return std::ranges::find(owners->protocols, protocol) != owners->protocols.end();
         });
}

// Rooms that several systems use are all theirs, or not at all.
bool ReachablePoints::may_contain(std::string_view point) const {
  const std::string_view room = point.substr(0, point.find(':'));
  if (std::ranges::find(kSharedRooms, room) == kSharedRooms.end()) return is_owned(point);
  return std::ranges::any_of(expected_points(), [&](std::string_view other) {
    return other.substr(0, other.find(':')) == room && is_owned(other);
  });
}

bool ReachablePoints::contains(std::string_view point) const {
  return is_owned(point) && std::ranges::none_of(kExcluded, [&](const Excluded& row) {
           return point.starts_with(row.points) &&
                  std::ranges::any_of(ground_.sets,
                                      [&](const Assignment& said) { return row.is_said(said); });
         });
}

}  // namespace verbena::experiments
