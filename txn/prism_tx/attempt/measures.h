// Times and counters of PRISM-TX.
#pragma once

#include "txn/prism/measures.h"
#include "txn/system_info.h"

namespace verbena::txn::prism_tx {

using prism::WorkerMetrics;

/// The steps of an attempt, in their order.
struct Phase {
  static constexpr prism::Phase kExecute{0};
  /// Validation of reads, before that of writes.
  static constexpr prism::Phase kValidateReads{1};
  /// Validation of writes, or, where prepare is pipelined, of all.
  static constexpr prism::Phase kValidateWrites{2};
  static constexpr prism::Phase kInstall{3};
};

/// Causes for which an attempt did not commit.
struct Abort : prism::Abort {
  /// A record that it read has been prepared to be written by a later transaction.
  static constexpr AbortCause kReadOvertaken{1};
  /// A record that it was about to write has been prepared to be written by a later transaction.
  static constexpr AbortCause kWriteOvertaken{2};
  /// A later transaction has read a record that it was about to write.
  static constexpr AbortCause kReadLater{3};
  /// A server's free list was empty.
  static constexpr AbortCause kNoBuffer{4};
};

/// Counters of PRISM-TX.
struct Counter {
  /// Round trips: chains in flight together, counted once for all servers.
  static constexpr prism::Counter kRoundTrips{0};
  /// Slots that were read with their objects.
  static constexpr prism::Counter kSlotReads{1};
  /// Slots that were given to keys that were absent.
  static constexpr prism::Counter kClaims{2};
  static constexpr prism::Counter kReadValidations{3};
  static constexpr prism::Counter kWriteValidations{4};
  /// Reads and writes that were validated by one operation.
  static constexpr prism::Counter kUpdateValidations{5};
  static constexpr prism::Counter kInstalls{6};
  /// Installs that met a later writer's object.
  static constexpr prism::Counter kOverwritten{7};
  /// Keys of attempts that were given up, put back as before.
  static constexpr prism::Counter kUndone{8};
  /// Keys of attempts that were given up, decided.
  static constexpr prism::Counter kResolved{9};
  /// Pauses until earlier attempts are decided.
  static constexpr prism::Counter kWaits{10};
  static constexpr prism::Counter kNoBuffer{11};
  static constexpr prism::Counter kBuffersBack{12};
};

/// Fills in the names of these, and the system's promises.
void add_measures(SystemInfo& info);

}  // namespace verbena::txn::prism_tx
