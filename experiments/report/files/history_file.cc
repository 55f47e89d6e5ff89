// Attempts as pairs of operations in the order of time, versions as values.
#include "experiments/report/files/history_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "txn/store/record.h"

namespace verbena::experiments {
namespace {

// The subject of versions: a record in an entry.
using Subject = std::pair<txn::RecordName, std::uint32_t>;

Subject subject_of(const txn::HistoryAccess& access) { return {access.record, access.entry}; }

// An attempt wrote a version, or would have. Of the same version, those that were committed first.
struct Write {
  Subject subject;
  std::uint64_t version;
  bool aborted;
  std::size_t attempt;

  auto operator<=>(const Write&) const = default;
};

// The values of registers, each of which is written once.
class Values {
 public:
  explicit Values(const txn::History& history) {
    for (std::size_t i = 0; i < history.entries().size(); ++i) {
      const txn::HistoryEntry& entry = history.entries()[i];
      for (const txn::HistoryAccess& access : history.accesses(entry)) {
        if (access.written_version == 0) continue;
        writes_.push_back({subject_of(access), access.written_version, !entry.committed, i});
      }
    }
    std::ranges::sort(writes_);
  }

  /// Empty for what no transaction has written. A version that loaded records have may also have
  /// been written: by an insert into an entry that never held a record.
  std::string read(const txn::HistoryAccess& access) const {
    const auto first = first_of(subject_of(access), access.read_version);
    const bool wanted = first != writes_.end();
    const bool committed = wanted && !first->aborted;
    const bool loaded = access.read_version <= txn::kInitialVersion && !wanted;
    if (loaded || (access.read_absent && !committed)) return {};
    return std::to_string(access.read_version);
  }

  /// Empty for what an aborted attempt would have written when another wrote that version.
  std::string written(const txn::HistoryAccess& access, std::size_t attempt, bool aborted) const {
    const Write own = {subject_of(access), access.written_version, aborted, attempt};
    const auto place = std::ranges::lower_bound(writes_, own);
    const auto rank =
        static_cast<std::uint64_t>(place - first_of(subject_of(access), access.written_version));
    if (aborted && rank > 0) return {};
    return std::to_string(access.written_version + (rank << 40));
  }

 private:
  std::vector<Write>::const_iterator first_of(const Subject& subject, std::uint64_t version) const {
    const auto first = std::ranges::lower_bound(writes_, Write{subject, version, false, 0});
    const bool is_one =
        first != writes_.end() && first->subject == subject && first->version == version;
    return is_one ? first : writes_.end();
  }

  std::vector<Write> writes_;
};

// Where an attempt begins or ends.
struct Event {
  Nanoseconds time;
  bool end;
  std::size_t attempt;

  auto operator<=>(const Event&) const = default;
};

// An attempt that begins when another ends overlaps it.
std::vector<Event> events_of(const txn::History& history) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < history.entries().size(); ++i) {
    events.push_back({history.entries()[i].begin, false, i});
    events.push_back({history.entries()[i].end, true, i});
  }
  std::ranges::sort(events);
  return events;
}

// A process of Jepsen does one thing at a time. A coroutine's attempts may overlap, where a core
// computes ahead of the time at which its memory is looked at; it is several processes then.
std::vector<std::uint64_t> processes_of(const txn::History& history,
                                        const std::vector<Event>& events) {
  std::map<std::uint64_t, std::vector<bool>> busy_of;  // the processes of each coroutine
  std::vector<std::uint64_t> processes(history.entries().size());
  for (const Event& event : events) {
    const txn::LockOwner& owner = history.entries()[event.attempt].owner;
    const std::uint64_t coroutine =
        ((owner.node * std::uint64_t{1000} + owner.worker) * 1000 + owner.fiber) * 10'000;
    std::vector<bool>& busy = busy_of[coroutine];
    if (event.end) {
      busy[processes[event.attempt] - coroutine] = false;
      continue;
    }
    const auto free = std::ranges::find(busy, false);
    processes[event.attempt] = coroutine + static_cast<std::uint64_t>(free - busy.begin());
    if (free == busy.end()) busy.push_back(false);
    busy[processes[event.attempt] - coroutine] = true;
  }
  return processes;
}

class Text {
 public:
  Text(const txn::History& history, const std::vector<std::string>& tables, HistoryForm form)
      : history_(history),
        tables_(tables),
        values_(history),
        edn_(form == HistoryForm::kEdn),
        open_(edn_ ? "[:" : "[\""),
        after_what_(edn_ ? " " : "\","),
        separator_(edn_ ? " " : ","),
        nothing_(edn_ ? "nil" : "null") {}

  std::string write() && {
    const std::vector<Event> events = events_of(history_);
    const std::vector<std::uint64_t> processes = processes_of(history_, events);
    for (std::size_t i = 0; i < events.size(); ++i) add(i, events[i], processes[events[i].attempt]);
    return fmt::to_string(text_);
  }

 private:
  void add(std::size_t index, const Event& event, std::uint64_t process) {
    const bool committed = history_.entries()[event.attempt].committed;
    const char* type = !event.end ? "invoke" : committed ? "ok" : "fail";
    const auto out = std::back_inserter(text_);
    if (edn_) {
      fmt::format_to(out, "{{:index {}, :type :{}, :process {}, :time {}, :f :txn, :value ", index,
                     type, process, event.time.count());
    } else {
      fmt::format_to(out, R"({{"index":{},"type":"{}","process":{},"time":{},"f":"txn","value":)",
                     index, type, process, event.time.count());
    }
    add_value(event.attempt, event.end && committed);
    fmt::format_to(out, "}}\n");
  }

  // The reads of committed transactions are known once they have ended.
  void add_value(std::size_t attempt, bool with_reads) {
    const txn::HistoryEntry& entry = history_.entries()[attempt];
    text_.push_back('[');
    bool first = true;
    for (const txn::HistoryAccess& access : history_.accesses(entry)) {
      add_operation(first, 'r', access, with_reads ? values_.read(access) : std::string());
      if (access.written_version == 0) continue;
      const std::string value = values_.written(access, attempt, !entry.committed);
      if (!value.empty()) add_operation(first, 'w', access, value);
    }
    text_.push_back(']');
  }

  void add_operation(bool& first, char what, const txn::HistoryAccess& access,
                     const std::string& value) {
    const auto out = std::back_inserter(text_);
    if (!first) fmt::format_to(out, "{}", separator_);
    first = false;
    fmt::format_to(out, "{}{}", open_, what);
    fmt::format_to(out, "{}\"{}/{}/{}@{}\"{}{}]", after_what_, tables_.at(access.record.table),
                   std::uint32_t{access.record.partition}, access.record.key, access.entry,
                   separator_, value.empty() ? nothing_ : value);
  }

  const txn::History& history_;
  const std::vector<std::string>& tables_;
  const Values values_;
  const bool edn_;
  const char* open_;  // of a read or write
  const char* after_what_;
  const char* separator_;
  const char* nothing_;
  fmt::memory_buffer text_;
};

}  // namespace

HistoryForm history_form(const std::string& path) {
  return path.ends_with(".edn") ? HistoryForm::kEdn : HistoryForm::kJsonLines;
}

std::string history_text(const txn::History& history, const std::vector<std::string>& tables,
                         HistoryForm form) {
  return Text(history, tables, form).write();
}

}  // namespace verbena::experiments
