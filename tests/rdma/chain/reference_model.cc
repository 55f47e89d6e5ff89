// The plain model, and the draws of chains.
#include "tests/rdma/chain/reference_model.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace verbena::testing {
namespace {

using rdma::ChainOpcode;
using rdma::ChainOutcome;
using rdma::CompareMode;
using rdma::Operation;
using rdma::Place;
using Where = Place::Where;
using Bytes = std::vector<std::byte>;

std::uint64_t word(const Bytes& bytes, std::uint64_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, 8);
  return value;
}

void put_word(Bytes& bytes, std::uint64_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, 8);
}

Bytes operand(const rdma::OperandWords& words, std::uint32_t bytes) {
  Bytes taken(bytes);
  std::memcpy(taken.data(), words.data(), bytes);
  return taken;
}

// Words with the most significant byte first, as which bytes compare like numbers.
std::string big_endian(const Bytes& bytes, const Bytes& mask) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t value = word(bytes, at) & word(mask, at);
    for (int shift = 56; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
  }
  return text;
}

bool holds(CompareMode mode, int order) {
  switch (mode) {
    case CompareMode::kEqual:
      return order == 0;
    case CompareMode::kNotEqual:
      return order != 0;
    case CompareMode::kGreater:
      return order > 0;
    case CompareMode::kGreaterOrEqual:
      return order >= 0;
    case CompareMode::kLess:
      return order < 0;
    case CompareMode::kLessOrEqual:
      return order <= 0;
    case CompareMode::kAlways:
      return true;
  }
  return false;
}

class Model {
 public:
  Model(ModelServer& server, rdma::Scratch& scratch) : server_(server), scratch_(scratch) {}

  ModelResult run(const Operation& o) {
    if (rdma::defect(o) != nullptr) return {ChainOutcome::kInvalid, 0, {}};
    if (!places_fit(o)) return {ChainOutcome::kAccessError, 0, {}};
    std::uint64_t target = o.target.offset;
    std::uint32_t n = o.length;
    if (o.target_indirect) {
      const std::uint64_t width = o.bounded ? 16 : 8;
      if (target % width != 0) return {ChainOutcome::kInvalid, 0, {}};
      if (!inside(target, width)) return {ChainOutcome::kAccessError, 0, {}};
      const std::uint64_t pointer = word(server_.memory, target);
      if (o.bounded)
        n = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(n, word(server_.memory, target + 8)));
      if (n > 0 && (pointer == 0 || !inside(pointer, n)))
        return {ChainOutcome::kAccessError, 0, {}};
      target = pointer;
    }
    switch (o.opcode) {
      case ChainOpcode::kRead:
        return read(o, target, n);
      case ChainOpcode::kWrite:
        return write(o, target, n);
      case ChainOpcode::kAllocate:
        return allocate(o);
      default:
        return update(o, target);
    }
  }

 private:
  bool inside(std::uint64_t at, std::uint64_t n) const {
    return n <= server_.memory.size() && at <= server_.memory.size() - n;
  }
  bool fits(const Place& place, std::uint64_t n) const {
    if (place.where == Where::kRequest) return true;
    if (place.where == Where::kMemory) return inside(place.offset, n);
    return n <= rdma::kScratchBytes && place.offset <= rdma::kScratchBytes - n;
  }
  bool places_fit(const Operation& o) const {
    if (o.opcode == ChainOpcode::kWrite)
      return o.target.where == Where::kMemory || fits(o.target, o.length);
    if (!fits(o.redirect, o.opcode == ChainOpcode::kAllocate ? 8 : o.length)) return false;
    if (o.opcode == ChainOpcode::kAllocate) return true;
    if (o.opcode == ChainOpcode::kRead)
      return o.target.where == Where::kMemory || fits(o.target, o.length);
    return fits(o.data, o.length) && fits(o.compare, o.length);
  }
  std::byte* at(const Place& place) {
    return (place.where == Where::kScratch ? scratch_.data() : server_.memory.data()) +
           place.offset;
  }
  Bytes fetch(const Place& place, std::uint32_t n, const Bytes& sent) {
    if (place.where == Where::kRequest) return Bytes(sent.begin(), sent.begin() + n);
    return Bytes(at(place), at(place) + n);
  }
  // Where a result goes: nowhere, when it is for the requester.
  Bytes redirected(const Operation& o, Bytes data) {
    if (o.redirect.where == Where::kRequest) return data;
    std::memcpy(at(o.redirect), data.data(), data.size());
    return {};
  }

  ModelResult read(const Operation& o, std::uint64_t target, std::uint32_t n) {
    if (n > 0 && o.target.where == Where::kMemory && !inside(target, n))
      return {ChainOutcome::kAccessError, 0, {}};
    const Bytes data = n == 0 ? Bytes() : fetch({o.target.where, target}, n, {});
    return {ChainOutcome::kDone, n, redirected(o, data)};
  }
  ModelResult write(const Operation& o, std::uint64_t target, std::uint32_t n) {
    if (!fits(o.data, n)) return {ChainOutcome::kAccessError, 0, {}};
    const Bytes data = fetch(o.data, n, Bytes(o.payload.begin(), o.payload.end()));
    if (n > 0 && o.target.where == Where::kMemory && !inside(target, n))
      return {ChainOutcome::kAccessError, 0, {}};
    if (n > 0) std::memcpy(at({o.target.where, target}), data.data(), n);
    return {ChainOutcome::kDone, n, {}};
  }
  ModelResult allocate(const Operation& o) {
    if (o.free_list != 0) return {ChainOutcome::kAccessError, 0, {}};
    if (o.length > server_.buffer_bytes) return {ChainOutcome::kLengthError, 0, {}};
    if (server_.free_buffers.empty()) return {ChainOutcome::kNoBuffer, 0, {}};
    const std::uint64_t buffer = server_.free_buffers.front();
    server_.free_buffers.pop_front();
    std::copy(o.payload.begin(), o.payload.end(),
              server_.memory.begin() + static_cast<std::ptrdiff_t>(buffer));
    Bytes data(8);
    put_word(data, 0, buffer);
    redirected(o, data);
    return {ChainOutcome::kDone, o.length, data};
  }
  ModelResult update(const Operation& o, std::uint64_t target) {
    if (target % o.length != 0) return {ChainOutcome::kInvalid, 0, {}};
    if (!inside(target, o.length)) return {ChainOutcome::kAccessError, 0, {}};
    const Bytes value = fetch(o.data, o.length, operand(o.swap_words, o.length));
    const Bytes compare = fetch(o.compare, o.length, operand(o.compare_words, o.length));
    const Bytes mask = operand(o.compare_mask, o.length);
    const Bytes old(at({Where::kMemory, target}), at({Where::kMemory, target}) + o.length);
    const bool adds = o.opcode == ChainOpcode::kFetchAndAdd;
    const bool swaps =
        adds || holds(o.mode, big_endian(compare, mask).compare(big_endian(old, mask)));
    for (std::uint32_t i = 0; swaps && i < o.length; i += 8) {
      const std::uint64_t was = word(old, i);
      const std::uint64_t keep = ~o.swap_mask[i / 8];
      put_word(server_.memory, target + i,
               adds ? was + word(value, i) : (was & keep) | (word(value, i) & ~keep));
    }
    return {swaps ? ChainOutcome::kDone : ChainOutcome::kNotSwapped, o.length, redirected(o, old)};
  }

  ModelServer& server_;
  rdma::Scratch& scratch_;
};

class Draw {
 public:
  Draw(std::mt19937_64& random, std::uint64_t bytes) : random_(random), bytes_(bytes) {}

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  Operation operation(RandomChain& chain) {
    Operation o;
    o.opcode = static_cast<ChainOpcode>(below(5));
    o.conditional = !one_in(3);
    const bool access = o.opcode == ChainOpcode::kRead || o.opcode == ChainOpcode::kWrite;
    if (access) draw_access(o);
    if (o.opcode == ChainOpcode::kAllocate)
      o.length = static_cast<std::uint32_t>(below(one_in(8) ? 80 : 65));
    if (o.opcode == ChainOpcode::kAllocate && one_in(12)) o.free_list = 1;
    if (o.opcode == ChainOpcode::kCompareAndSwap) draw_swap(o);
    if (o.opcode == ChainOpcode::kFetchAndAdd) draw_addition(o);
    if (o.opcode != ChainOpcode::kWrite && one_in(2))
      o.redirect = place(o.opcode == ChainOpcode::kAllocate ? 8 : o.length);
    if (o.opcode == ChainOpcode::kWrite || o.opcode == ChainOpcode::kAllocate)
      draw_source(o, chain);
    return o;
  }

  Place place(std::uint64_t length) {
    const std::uint64_t room = one_in(20) ? bytes_ + 8 : bytes_ - std::min(bytes_, length);
    if (length > rdma::kScratchBytes || one_in(2)) return {Where::kMemory, below(room + 1)};
    return {Where::kScratch, below(rdma::kScratchBytes - length + 1 + (one_in(20) ? 8 : 0))};
  }

 private:
  std::uint64_t aligned(std::uint64_t unit) {
    return one_in(24) ? below(bytes_) : below(bytes_ / unit) * unit;
  }

  void draw_access(Operation& o) {
    o.length = static_cast<std::uint32_t>(one_in(3) ? below(33) : below(100));
    o.target_indirect = one_in(2);
    o.bounded = o.target_indirect ? one_in(2) : one_in(40);
    if (o.target_indirect) {
      o.target = {Where::kMemory, aligned(16)};
    } else {
      o.target = place(o.length);
    }
  }
  void draw_swap(Operation& o) {
    constexpr std::uint32_t kSizes[] = {8, 16, 32, 24};
    o.length = kSizes[below(one_in(20) ? 4 : 3)];
    o.mode = static_cast<CompareMode>(below(7));
    o.target_indirect = one_in(3);
    o.target = {Where::kMemory, aligned(o.target_indirect ? 8 : o.length)};
    if (one_in(3)) o.data = place(o.length);
    if (one_in(3)) o.compare = place(o.length);
    for (std::size_t i = 0; i < o.swap_words.size(); ++i) {
      o.swap_words[i] = below(4) * 64;
      o.compare_words[i] = below(4) * 64;
      o.swap_mask[i] = one_in(4) ? random_() : ~std::uint64_t{0} * below(2);
      o.compare_mask[i] = one_in(4) ? random_() : ~std::uint64_t{0} * below(2);
    }
  }
  void draw_addition(Operation& o) {
    o.length = one_in(20) ? 16 : 8;
    o.target = {Where::kMemory, aligned(8)};
    o.swap_words[0] = below(3) * 16;
  }
  void draw_source(Operation& o, RandomChain& chain) {
    if (o.opcode == ChainOpcode::kWrite && one_in(2)) {
      o.data = place(o.length);
      return;
    }
    Bytes& payload = chain.payloads.emplace_back(o.length);
    for (std::byte& byte : payload) byte = static_cast<std::byte>(below(256));
    o.payload = payload;
  }

  std::mt19937_64& random_;
  std::uint64_t bytes_;
};

}  // namespace

std::vector<ModelResult> carry_out(const std::vector<Operation>& chain, ModelServer& server,
                                   rdma::Scratch& scratch) {
  Model model(server, scratch);
  std::vector<ModelResult> results;
  bool failed = false;
  bool succeeded = true;
  for (const Operation& operation : chain) {
    ModelResult result;
    if (failed) {
      result.outcome = ChainOutcome::kFlushed;
    } else if (operation.conditional && !succeeded) {
      result.outcome = ChainOutcome::kSkipped;
    } else {
      result = model.run(operation);
    }
    succeeded = result.outcome == ChainOutcome::kDone;
    failed |= result.outcome >= ChainOutcome::kInvalid;
    results.push_back(std::move(result));
  }
  return results;
}

RandomChain draw_chain(std::mt19937_64& random, std::uint64_t bytes, std::size_t most) {
  Draw draw(random, bytes);
  RandomChain chain;
  Operation fills;
  fills.opcode = ChainOpcode::kWrite;
  fills.target = {Where::kScratch, 0};
  fills.length = rdma::kScratchBytes;
  Bytes& content = chain.payloads.emplace_back(rdma::kScratchBytes);
  for (std::size_t at = 0; at < content.size(); at += 8) put_word(content, at, draw.below(bytes));
  fills.payload = content;
  chain.operations.push_back(fills);
  const std::size_t operations = 1 + draw.below(most);
  for (std::size_t i = 1; i < operations; ++i) chain.operations.push_back(draw.operation(chain));
  return chain;
}

std::vector<std::byte> draw_memory(std::mt19937_64& random, std::uint64_t bytes) {
  std::vector<std::byte> memory(bytes);
  for (std::uint64_t at = 0; at < bytes; at += 8) {
    const std::uint64_t pointer = random() % (bytes / 8) * 8;
    const std::uint64_t small = random() % 70;
    put_word(memory, at, random() % 3 != 0 ? pointer : small);
  }
  return memory;
}

}  // namespace verbena::testing
