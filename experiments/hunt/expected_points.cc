// The table of points, in their order.
#include "experiments/hunt/expected_points.h"

#include <array>

namespace verbena::experiments {
namespace {

constexpr std::array kPoints = {
    "index: bucket added to a chain",
    "index: bucket changes while it is looked through",
    "index: chain of buckets being changed by another",
    "index: link to another bucket followed",
    "nam: READ of a bucket is torn",
    "nam: READ of a record is torn",
    "nam: about to lock",
    "nam: all locks held",
    "nam: catalog has changed since it was remembered",
    "nam: commit published",
    "nam: entries allocated",
    "nam: entry of an erased record was given up",
    "nam: erased record is not as it was when it is taken out",
    "nam: erased record taken out of the indexes",
    "nam: fetched vector is without the fiber's own commit",
    "nam: fetched vector was replaced while it was copied",
    "nam: hash table begins or ends to grow while a key comes or goes",
    "nam: hash table has grown",
    "nam: hint taken",
    "nam: key claimed",
    "nam: key found nowhere",
    "nam: key to be inserted has an entry by now",
    "nam: link to another bucket followed",
    "nam: lock by compare-and-swap finds it taken",
    "nam: lock by compare-and-swap finds the record changed",
    "nam: lock given back",
    "nam: lock read through",
    "nam: new versions are being written",
    "nam: new versions installed",
    "nam: no old version is in the snapshot",
    "nam: no old version of a scanned key is in the snapshot",
    "nam: number drawn",
    "nam: old version moved to overflow",
    "nam: old version read",
    "nam: old version replaced before it was read",
    "nam: old versions have to be moved before new ones are installed",
    "nam: overflow is full",
    "nam: overflow is in use by another worker",
    "nam: overflow tells that a record was not there",
    "nam: own bucket changes while the CPU reads it",
    "nam: own header changes while the CPU reads it",
    "nam: own record changes while the CPU reads it",
    "nam: record was not there in the snapshot",
    "nam: scan finds a later version than its snapshot's",
    "nam: scan looks into overflow",
    "nam: several commits published at once",
    "nam: snapshot gets too old",
    "nam: table is not in the catalog that was remembered",
    "nam: timestamp given up",
    "nam: vector grows while it is read",
    "nam: vector is without the fiber's own commit",
    "nam: version read in overflow",
    "nam: writer finds a later version than its snapshot's",
    "nam: writer finds a lock",
    "nic: blueflame_writes",
    "nic: locked_doorbells",
    "nic: mpt_cache_misses",
    "nic: mtt_cache_misses",
    "nic: naks",
    "nic: qp_cache_misses",
    "nic: rc_losses",
    "nic: retries",
    "nic: ud_drops",
    "nic: ud_duplicates",
    "nic: ud_losses",
    "nic: ud_reordered",
    "nic: wqe_cache_misses",
    "occ: READ finds a lock",
    "occ: READ of a bucket is torn",
    "occ: READ of a record is torn",
    "occ: absence looked up again",
    "occ: absent key has been inserted",
    "occ: absent key is absent in another way",
    "occ: another key's record in a remembered location",
    "occ: another key's record where a bucket leads",
    "occ: backup passes over an update of another partition",
    "occ: commit message is full",
    "occ: insert finds its record erased since it was sought",
    "occ: key found nowhere, by CPU",
    "occ: key found nowhere, by READ",
    "occ: key found nowhere, by handler",
    "occ: link to another bucket followed by READ",
    "occ: lock by compare-and-swap finds it taken",
    "occ: lock by compare-and-swap finds the record changed",
    "occ: lock by handler finds it taken",
    "occ: lock by handler finds the record changed",
    "occ: lock by handler gives back locks of other records",
    "occ: lock given back by CPU",
    "occ: lock given back by WRITE",
    "occ: lock given back by handler",
    "occ: lock in execution finds it taken",
    "occ: log begins again behind padding",
    "occ: log cannot be reclaimed, its oldest record is undecided",
    "occ: log is full",
    "occ: log record is sent again in several messages",
    "occ: log record is sent in several messages",
    "occ: message of records to check is full",
    "occ: no record in a remembered location",
    "occ: read by CPU finds a lock",
    "occ: record absent where its bucket leads, by READ",
    "occ: record comes or goes while a handler reads it",
    "occ: record erased by CPU",
    "occ: record erased by handler",
    "occ: record erased since a CPU sought it",
    "occ: record locked since it was added",
    "occ: roll-back does not stand",
    "occ: scan passes over what its transaction inserts",
    "occ: scan that ended at its limit is validated, ascending",
    "occ: scan that ended at its limit is validated, descending",
    "occ: scan validation finds keys come or gone",
    "occ: scan validation finds other keys in the same index",
    "occ: validation by CPU finds a lock",
    "occ: validation by CPU finds another version",
    "occ: validation by READ finds a lock",
    "occ: validation by READ finds another version",
    "occ: validation by handler finds a lock",
    "occ: validation by handler finds another version",
    "one_sided: completion asked for by a READ",
    "one_sided: requests of one doorbell posted in parts",
    "one_sided: send queue full",
    "one_sided: source of a WRITE copied",
    "rpc: acknowledgement overtaken by a later one",
    "rpc: acknowledgement sent on its own",
    "rpc: acknowledgements come as a map",
    "rpc: all slots to a peer in use",
    "rpc: another message carries the acknowledgement that is due",
    "rpc: half of a window to be acknowledged",
    "rpc: message sent again while the NIC may read it",
    "rpc: message settled while it waits to be sent again",
    "rpc: message waits for room in a peer's ring",
    "rpc: messages wait for room in the send queue",
    "rpc: notification acknowledged before an earlier one",
    "rpc: notification overtakes an earlier one",
    "rpc: notification received twice",
    "rpc: notification repeated",
    "rpc: reply comes too late",
    "rpc: reply repeated",
    "rpc: request comes after a later one of its slot",
    "rpc: request repeated",
    "rpc: window of notifications to a peer full",
    "rpc: writer told of room in its ring",
    "si2pc: commit finished before an earlier one",
    "si2pc: entry got another key before a scan came to it",
    "si2pc: entry got another key before it was read",
    "si2pc: erased record taken out of the indexes",
    "si2pc: lock found taken",
    "si2pc: lock read through",
    "si2pc: locks given back",
    "si2pc: locks of other records given back",
    "si2pc: no old version is in the snapshot",
    "si2pc: no old version of a scanned key is in the snapshot",
    "si2pc: old version read",
    "si2pc: record being installed by another",
    "si2pc: record changed before it was locked",
    "si2pc: record taken out before it was locked",
    "si2pc: scan finds a later version than its snapshot's",
    "si2pc: snapshot gets too old",
    "si2pc: snapshot is without the fiber's own commit",
    "si2pc: writer finds a later version than its snapshot's",
    "si2pc: writer finds a lock",
    "store: backup ignores an older update",
    "store: backup's entry gets another key",
    "store: backup's record being updated by another",
    "store: entry of an erased record not free yet",
    "store: entry of an erased record used again",
    "store: insert finds a placeholder",
    "store: insert finds a record",
    "store: record changes while it is read",
};

// Hunts keep no journals, and no node dies in them; so they do not come to these, but tests do.
// Only headers of different times were never read yet: a record would have to be installed twice
// while its headers pass from one cache line to the next.
// "nam: allocated entries freed by who had them"
// "nam: checkpoint is being taken"
// "nam: checkpoint written"
// "nam: compute server is silent for too long"
// "nam: entry that was allocated to a dead server freed"
// "nam: headers of old versions are of different times"
// "nam: journal goes around"
// "nam: journal is being written"
// "nam: journal of a dead server is whole in all copies"
// "nam: journal of a dead server lacks an entry in a copy"
// "nam: journal waits for checkpoints"
// "nam: journal written"
// "nam: lock of a dead server released"
// "nam: queue pairs to a dead server fenced"
// "nam: record changes while it is saved"
// "nam: record of a dead server was written in parts"
// "nam: transaction of a dead server rolled forward"
// "nam: transactions of a dead server are finished"
// "nam: version of a dead server is being written"

}  // namespace

std::span<const char* const> expected_points() { return kPoints; }

std::vector<std::string_view> never_reached(const std::set<std::string, std::less<>>& reached) {
  std::vector<std::string_view> missed;
  for (const char* point : kPoints) {
    if (!reached.contains(point)) missed.emplace_back(point);
  }
  return missed;
}

}  // namespace verbena::experiments
