// WRITEs of old versions, headers and new versions, in their order.
#include "txn/nam/transaction/installation.h"

#include <cstdint>

#include "txn/nam/records/record_image.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {

void Installation::install(const Stamp& stamp) {
  attempt_.at(Attempt::Step::kInstalls);
  for (const Access& access : accesses_) {
    if (accesses_.written(access)) write(access, stamp);
  }
  attempt_.servers().post();
  attempt_.reach("nam: new versions are being written");
  attempt_.servers().wait();
  attempt_.at(Attempt::Step::kPublishes);
}

void Installation::write(const Access& access, const Stamp& stamp) {
  const Layout& layout = attempt_.layout();
  ServerMemory& servers = attempt_.servers();
  const AccessSet::Item& item = accesses_.item(access);
  const ImageFormat& format = accesses_.table(access).format;
  RecordImage replaced = access.image();
  const std::uint32_t installs = replaced.installs();
  const std::uint32_t slot = installs % layout.versions();
  replaced.unlock();
  OldHeader* header = access.headers() + layout.headers_of_record();
  *header = {.version = replaced.version(), .installs = installs};
  const RecordImage next(accesses_.allocate(format.bytes()));
  format.compose(next, version_of(stamp, item.erased), installs + 1, access.name().key,
                 item.payload);
  attempt_.spend(rdma::Work::kCopyLine, format.lines());
  if (!deleted(replaced.version())) {
    servers.write_image(layout.old(access.name(), access.entry(), slot), replaced, format);
  }
  RemoteAddress headers = layout.headers(access.name(), access.entry());
  headers.offset += slot * sizeof(OldHeader);
  servers.write_header(headers, header);
  servers.write_image(layout.current(access.name(), access.entry()), next, format);
  if (layout.overflows()) places_.hint(access);
}

}  // namespace verbena::txn::nam
