// A memory server's records as the CPU of their machine accesses them, while NICs and other cores
// do, too.
//
// A NIC accesses all that it wants of a cache line at once; a core copies word by word, and another
// may be in the midst of the same line. So both sides of what a core does need an argument of their
// own (record_image.h has that of NICs alone).
//
// A core that writes an image makes its lines bad first, each by its first words, and good last:
//   lock := changing, tags := the same; then all else; then tags, version and, last, lock.
// A NIC that READs it meanwhile sees a line as it was, or bad, or as it will be, of which the tags
// tell the first from the last. The lock stays that of its holder all the while.
//
// A core that reads looks at what guards a line - its tag; of the first one lock and version -
// before it copies the line, and again afterwards. If both looks show the same version the line was
// that version's in between: a writer, NIC or core, that had begun by then shows at the second
// look, one that had not ended at the first shows at either, and versions do not come again. Only
// the entry of an erased record, which gets the next key's, begins anew with kNeverThere: the key
// is written while the lock is kGivenUp, and becomes another only when the lock is looked at first.
// A reader that looked at it before it was given up goes by a snapshot that is too old.
//
// An old version's header has no tag: `installs`, which grow, are its guard, and 0, that there is
// none, while a core writes it. To take one that changes for none is right: what replaces it is a
// version that was current when the reader, before, looked at that, and which his snapshot does not
// hold; and what it replaces is gone for whoever comes a moment later. Whoever goes by all of a
// record's headers, as who moves old versions does, sees by their numbers that one is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/seam/core.h"
#include "txn/index/bucket.h"
#include "txn/nam/records/record_image.h"

namespace verbena::txn::nam {

/// Copies an image. One that changes meanwhile is not whole() afterwards.
void read_live(std::byte* live, const ImageFormat& format, RecordImage copy, rdma::Core& core);

/// Copies headers; one that changes meanwhile becomes one that is none.
void read_live(std::byte* live, std::span<OldHeader> copies, rdma::Core& core);

/// Copies a bucket. One that changes meanwhile is not untorn() afterwards.
void read_live(std::byte* live, Bucket& copy, rdma::Core& core);

/// Writes an image over a live one, lock word included. The caller holds the record's lock.
void write_live(std::byte* live, const ImageFormat& format, const RecordImage& image,
                rdma::Core& core);

/// Writes a header over a live one. The caller holds the record's lock.
void write_live(std::byte* live, const OldHeader& header, rdma::Core& core);

/// Stores a record's lock word, whatever else the image has. The caller holds the record's lock.
void unlock_live(std::byte* live, const RecordImage& image);

/// Makes headers ones that are none. Nobody goes by them.
void clear_live(std::byte* live, std::size_t headers);

}  // namespace verbena::txn::nam
