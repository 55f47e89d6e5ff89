// Writing back, by this node's CPU, by WRITEs, or by messages to the owners.
#include "txn/occ/commit/write_back.h"

#include <cassert>
#include <cstring>
#include <string>

#include "rdma/base/errors.h"

namespace verbena::txn::occ {

using rdma::Work;

namespace {

// Refuses to erase where conflicts are ignored: an eraser must be the only one, or the indexes fall
// apart.
[[noreturn]] void refuse_erase(const Access& access) {
  throw ConfigurationError("plan.ignore_conflicts true: a transaction erases a record of table " +
                           std::to_string(access.name().table) +
                           "; allowed are workloads that erase none");
}

}  // namespace

void WriteBack::write() {
  const PhasePlan& phase = attempt_.plan().commit;
  unindex_erased();
  sender_.clear();
  for (Access& access : attempt_.accesses()) {
    if (!access.written()) continue;
    assert(access.lock().held());
    if (locks_.released_by_cpu(access)) {
      write_local(access);
    } else if (phase.primitive == Primitive::kOneSided) {
      write_one_sided(access);
      if (!phase.outstanding) sender_.send_requests();
    } else {
      sender_.add_update(access);
    }
  }
  sender_.send_requests();
  sender_.send_updates();
}

// Before anybody else can lock it, an erased record leaves the indexes: the owner's handler does it
// where it commits, else it is asked to.
void WriteBack::unindex_erased() {
  rdma::RpcBatch& calls = attempt_.calls();
  const PhasePlan& phase = attempt_.plan().commit;
  bool asked = false;  // there may be calls whose replies others wait for
  for (Access& access : attempt_.accesses()) {
    if (!access.erased()) continue;
    if (attempt_.plan().ignore_conflicts) refuse_erase(access);
    if (!locks_.released_by_cpu(access) && phase.primitive == Primitive::kTwoSided) continue;
    const RecordName& name = access.name();
    if (attempt_.local(access)) {
      attempt_.reach("occ: record erased by CPU");
      attempt_.core().spend(Work::kIndexInsert);
      attempt_.node().store().unindex(name.table, name.key, access.entry(), access.new_version(),
                                      &attempt_.core());
    } else {
      const RecordUpdate update = update_of(access);
      std::memcpy(calls.reserve(Attempt::owner(access), Method::kUnindex, sizeof update).data(),
                  &update, sizeof update);
      asked = true;
    }
  }
  if (!asked) return;
  attempt_.post_and_wait(phase);
  calls.clear();
}

void WriteBack::write_local(Access& access) {
  // In this machine's caches since it was read and locked.
  attempt_.core().spend(Work::kLocalAtomic);
  attempt_.core().spend(Work::kCopyLine, access.table().format.lines());
  access.table().format.write_live(attempt_.live(access), access.new_version(), access.name().key,
                                   access.payload(), &attempt_.core());
  attempt_.core().step(attempt_.live(access));
  locks_.release_by_cpu(access);
}

// Version, key and payload by one WRITE; the lock word by a second on the same queue pair, hence
// after it.
void WriteBack::write_one_sided(Access& access) {
  const RecordFormat& format = access.table().format;
  std::byte* image = access.image();
  if (format.lines() == 1) {  // the payload lies in the image
    store_word(image + kVersionOffset, access.new_version());
    store_word(image + kKeyOffset, access.name().key);
  } else {
    format.compose(image, access.new_version(), access.name().key, access.payload());
  }
  attempt_.requests().write(attempt_.address(access, kVersionOffset), image + kVersionOffset,
                            format.bytes() - kVersionOffset);
  locks_.release_by_write(access);
}

}  // namespace verbena::txn::occ
