// By a library's table.
#include "txn/kv/pilaf_entry.h"

#include <boost/crc.hpp>

namespace verbena::txn::kv {

std::uint64_t crc_of(std::span<const std::byte> bytes) {
  boost::crc_optimal<64, 0x42f0e1eba9ea3693, 0, 0, false, false> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace verbena::txn::kv
