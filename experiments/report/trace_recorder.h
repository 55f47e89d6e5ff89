// Timeline of a simulated run, for Perfetto and chrome://tracing.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "experiments/config/keys/fabric_command.h"
#include "experiments/report/files/output_file.h"
#include "simnic/observe/observer.h"

namespace verbena::experiments {

/// Records the model's events and writes them as Chrome trace events in JSON. There is a process
/// for each node and one for the network; a thread for each core, each coroutine of transactions,
/// each resource of a NIC with a queue, and each link. A slice is a request's visit to a resource,
/// code that a core ran (slices of posts and polls nest in it), or a transaction. Arrows connect
/// the slices of a request, from its transaction (if any) and the core's post to the poll of its
/// completion. Slices begin at `trace_from` or later; those beyond `trace_limit` are omitted, and
/// `otherData` has their number.
class TraceRecorder final : public simnic::Observer {
 public:
  /// Opens the output file. Throws ConfigurationError when the file that `command` names cannot be
  /// written.
  explicit TraceRecorder(const FabricCommand& command);

  void begin(simnic::Stage stage, const simnic::RequestIdentity& request,
             Picoseconds time) override;
  void visit(const simnic::Visit& visit) override;
  void end(Picoseconds wait, Picoseconds ready, Picoseconds time) override;
  void name_link(std::uint32_t number, const std::string& name) override;
  void core_ran(NodeId node, WorkerId worker, Picoseconds from, Picoseconds to) override;
  void on_core(NodeId node, WorkerId worker) override;
  void noted(const simnic::CoreMoment& core, rdma::Notice notice, std::uint64_t what) override;
  void posts(const simnic::CoreMoment& core, const simnic::RequestIdentity& request,
             std::uint64_t address) override;

  /// Throws ConfigurationError, with the time when the run ended, if nothing happened after the
  /// timeline's begin.
  void check() const;

  /// Writes the file. Equal runs give equal files.
  void commit() const;

 private:
  /// A row of the timeline. Its process is a node's number, or kNetwork.
  struct Track {
    std::uint32_t process;
    std::uint32_t thread;
    auto operator<=>(const Track&) const = default;
  };
  enum class Kind : std::uint8_t { kRequest, kCode, kTransaction };
  struct Slice {
    Track track;
    Picoseconds begin;
    Picoseconds duration;
    Kind kind;
    simnic::Stage stage = {};
    simnic::Station station = {};
    simnic::RequestIdentity request = {};
  };
  /// A point in time within a slice.
  struct Moment {
    Track track;
    Picoseconds time;
  };
  /// Identity of a request for the whole run: the requester's NIC, the queue pair, the index there.
  using Name = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  static constexpr std::uint32_t kNetwork = 1U << 20;

  void add(const Slice& slice);
  Track coroutine_of(const simnic::CoreMoment& core) const;
  std::map<Name, std::vector<Moment>> chains() const;
  Track track_of(const simnic::Visit& visit) const;
  std::string name_of(const Track& track) const;
  void add_arrows(fmt::memory_buffer& text) const;
  static std::pair<std::string, const char*> texts_of(const Slice& slice);
  std::string document() const;

  OutputFile file_;
  std::uint32_t nics_per_node_;
  std::uint64_t limit_;
  Picoseconds from_;
  std::vector<Slice> slices_;
  std::uint64_t left_out_ = 0;
  Picoseconds last_ = 0;  ///< begin of the last slice, written or not
  std::map<std::uint32_t, std::string> link_names_;
  std::map<Track, std::uint64_t> running_;              ///< running fiber of each core
  std::map<Track, Picoseconds> begun_;                  ///< begin of transactions, by coroutine
  std::unordered_map<std::uint64_t, Moment> composed_;  ///< messages, by address
  std::map<Name, Moment> origins_;                      ///< where requests were posted
  // The stage that began last.
  simnic::Stage stage_ = simnic::Stage::kPost;
  simnic::RequestIdentity request_{};
  Picoseconds core_clock_ = 0;
  Track core_{};
};

/// Makes the recorder; null when `command` asks for no timeline.
std::unique_ptr<TraceRecorder> make_trace(const FabricCommand& command);

}  // namespace verbena::experiments
