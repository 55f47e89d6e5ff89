// Access to a memory server's records by its own CPU, while NICs and other cores access them, too.
//
// A NIC accesses the bytes that it wants of a cache line at once. A core copies word by word, and
// another core may be in the midst of the same line. So both reads and writes by cores need an
// argument of their own (record_image.h has the one for NICs alone).
//
// A core that writes an image first makes its lines invalid by their first words, and valid last:
//   lock := changing, tags := the same; then all else; then tags, version and, last, lock.
// A NIC that READs it meanwhile sees each line as it was, invalid, or as it will be; the tags tell
// old lines from new ones. The lock stays the holder's all the while.
//
// A core that reads looks at the guard of a line before it copies the line and again afterwards.
// The guard is the line's tag; in the first line, lock and version. If both looks show the same
// version, the line was of that version in between. A writer, NIC or core, that had begun by then
// shows at the second look; one that had not ended at the first look shows at either; and versions
// do not recur. The one exception is the entry of an erased record that gets another key and begins
// anew with kNeverThere. Its key is written while the lock is kGivenUp, and becomes another only
// when the first look is at the lock. A reader that looked at the entry before it was given up has
// a snapshot that is too old.
//
// An old version's header has no tag. Its guard is `installs`, which grows, and is 0, for none,
// while a core writes the header. It is right to take a changing header for none: it gets a version
// that was current when the reader looked at the current one before, and that its snapshot does not
// hold; and its old content is gone for any reader a moment later. A reader that needs all of a
// record's headers, such as one that moves old versions, sees by their numbers that one is missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rdma/seam/core.h"
#include "txn/index/bucket.h"
#include "txn/nam/records/record_image.h"

namespace verbena::txn::nam {

/// Copies an image. One that changes meanwhile is not whole() in the copy.
void read_live(std::byte* live, const ImageFormat& format, RecordImage copy, rdma::Core& core);

/// Copies headers. One that changes meanwhile becomes an empty header.
void read_live(std::byte* live, std::span<OldHeader> copies, rdma::Core& core);

/// Copies a bucket. One that changes meanwhile is not untorn() in the copy.
void read_live(std::byte* live, Bucket& copy, rdma::Core& core);

/// Writes an image over a live one, lock word included. The caller holds the record's lock.
void write_live(std::byte* live, const ImageFormat& format, const RecordImage& image,
                rdma::Core& core);

/// Writes a header over a live one. The caller holds the record's lock.
void write_live(std::byte* live, const OldHeader& header, rdma::Core& core);

/// Stores the lock word of `image` in a record. The caller holds the record's lock.
void unlock_live(std::byte* live, const RecordImage& image);

/// Empties headers that nobody uses.
void clear_live(std::byte* live, std::size_t headers);

}  // namespace verbena::txn::nam
