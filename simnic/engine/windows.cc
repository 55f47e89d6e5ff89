// Going through windows: by time, or node by node.
#include "simnic/engine/windows.h"

#include <algorithm>
#include <utility>

namespace verbena::simnic {

Windows::Windows(std::vector<WindowNode*> nodes, std::function<void(Picoseconds)> between)
    : nodes_(std::move(nodes)),
      between_(std::move(between)),
      next_(nodes_.size(), kNeverPs),
      earliest_(nodes_.size()),
      claimed_(nodes_.size()) {
  for (WindowNode* node : nodes_) timelines_.push_back(&node->timeline());
}

Windows::~Windows() = default;

void Windows::set(Picoseconds length, Order order, unsigned threads) {
  deliver();
  const auto most = static_cast<unsigned>(nodes_.size());
  threads = order == Order::kByTime ? 1 : std::clamp(threads, 1U, most);
  if (crew_ == nullptr || crew_->threads() != threads) {
    crew_ = threads > 1 ? std::make_unique<Crew>(threads) : nullptr;
  }
  if (crew_ != nullptr) threads = crew_->threads();
  length_ = length;
  order_ = order;
  outboxes_.resize(threads, Outbox(nodes_.size()));
  // One thread needs to keep nothing for others.
  outboxes_.front().pass_at_once(threads == 1 ? this : nullptr);
  for (Timeline* timeline : timelines_) timeline->send_by(outboxes_.front());
}

void Windows::receive(NodeId to, TimedEvent event) {
  if (order_ == Order::kByTime) {
    earliest_.lower(to, event.time);
  } else {
    next_[to] = std::min(next_[to], event.time);
  }
  timelines_[to]->receive(event);
}

// Events that the last windows have left in the outboxes, where one was broken off also of the
// window before.
void Windows::deliver() {
  for (Outbox& outbox : outboxes_) {
    for (int window = 0; window < 2; ++window) {
      for (Timeline* to : timelines_) {
        outbox.take(to->node(), [&](TimedEvent event) { to->receive(event); });
      }
      if (window == 0) outbox.turn();
    }
  }
}

Picoseconds Windows::next_time() const {
  Picoseconds next = *std::ranges::min_element(next_);
  for (const Outbox& outbox : outboxes_) next = std::min(next, outbox.earliest());
  return next;
}

bool Windows::failed() const {
  return std::ranges::any_of(
      timelines_, [](const Timeline* timeline) { return timeline->exception() != nullptr; });
}

bool Windows::finished() const {
  return std::ranges::all_of(timelines_,
                             [](const Timeline* timeline) { return timeline->unfinished() == 0; });
}

Picoseconds Windows::last_time() const {
  Picoseconds last = 0;
  for (const Timeline* timeline : timelines_) last = std::max(last, timeline->now());
  return last;
}

Windows::Progress Windows::end_at(Picoseconds time, Progress progress) {
  for (Timeline* timeline : timelines_) timeline->pass_to(time);
  now_ = time;
  return progress;
}

Windows::Progress Windows::advance(Picoseconds limit, bool may_end) {
  if (times_ != nullptr) times_->begin_run();
  const Progress progress = pass_windows(limit, may_end);
  if (times_ != nullptr) times_->end_run();
  return progress;
}

Windows::Progress Windows::pass_windows(Picoseconds limit, bool may_end) {
  deliver();
  for (std::size_t i = 0; i < nodes_.size(); ++i) next_[i] = timelines_[i]->next_time();
  while (true) {
    if (failed()) return end_at(now_, Progress::kFailed);
    if (finished()) return end_at(now_, Progress::kAllFinished);
    const Picoseconds begin = next_time();
    if (begin == kNeverPs && may_end) return end_at(last_time(), Progress::kNothingToDo);
    if (begin >= limit) return end_at(limit, Progress::kLimitReached);
    const Picoseconds end = std::min(begin + length_, limit);
    order_ == Order::kByTime ? run_by_time(end) : run_by_node(end);
    now_ = end;
    between_(end);
  }
}

void Windows::run_by_time(Picoseconds end) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) earliest_.set(i, next_[i]);
  while (earliest_.time() < end) {
    const std::uint32_t node = earliest_.node();
    nodes_[node]->step();
    now_ = timelines_[node]->now();
    earliest_.set(node, timelines_[node]->next_time());
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) next_[i] = timelines_[i]->next_time();
}

void Windows::run_by_node(Picoseconds end) {
  end_ = end;
  ++window_;
  if (crew_ != nullptr) {
    for (Outbox& outbox : outboxes_) outbox.turn();
  }
  if (times_ != nullptr) return work_measured();
  if (crew_ == nullptr) return work(0);
  crew_->run([this](unsigned thread) { work(thread); });
}

// Each thread has nodes of its own, which its caches know; then it takes what others have left.
void Windows::work(unsigned thread) {
  const std::size_t nodes = nodes_.size();
  const std::size_t threads = outboxes_.size();
  const std::size_t first = nodes * thread / threads;
  const std::size_t own = nodes * (thread + 1) / threads - first;
  for (std::size_t i = 0; i < own; ++i) {
    if (claim(first + i)) run(first + i, thread);
  }
  for (std::size_t i = nodes; i-- > own;) {
    const std::size_t node = (first + i) % nodes;
    if (claim(node)) run(node, thread);
  }
}

void Windows::work_measured() {
  times_->begin_window();
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    run(node, 0);
    times_->end_node();
  }
  times_->end_window();
}

bool Windows::claim(std::size_t node) {
  if (crew_ == nullptr) return true;
  std::atomic<std::uint32_t>& last = claimed_[node];
  return last.load(std::memory_order_relaxed) != window_ &&
         last.exchange(window_, std::memory_order_relaxed) != window_;
}

void Windows::run(std::size_t node, unsigned thread) {
  Timeline& timeline = *timelines_[node];
  if (crew_ != nullptr) {
    timeline.send_by(outboxes_[thread]);
    for (Outbox& outbox : outboxes_) {
      outbox.take(timeline.node(), [&](TimedEvent event) { timeline.receive(event); });
    }
  }
  nodes_[node]->run_until(end_, thread);
  next_[node] = timeline.next_time();
}

std::exception_ptr Windows::take_exception() {
  const Timeline* first = nullptr;
  for (const Timeline* timeline : timelines_) {
    if (timeline->exception() == nullptr) continue;
    if (first == nullptr || timeline->failed_at() < first->failed_at()) first = timeline;
  }
  if (first == nullptr) return nullptr;
  std::exception_ptr exception = first->exception();
  for (Timeline* timeline : timelines_) timeline->take_exception();
  return exception;
}

}  // namespace verbena::simnic
