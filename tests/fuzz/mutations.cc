// Drawing and making changes.
#include "tests/fuzz/mutations.h"

#include <fcntl.h>
#include <rapidcheck.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ostream>
#include <stdexcept>

namespace verbena::testing {
namespace {

using Kind = Mutation::Kind;

constexpr int kKinds = static_cast<int>(Kind::kPutWord) + 1;
constexpr std::uint64_t kMostBytes = 64;  // of what is erased or repeated

// Limits of types, and counts that no memory has room for.
constexpr std::uint64_t kTelling[] = {0,
                                      1,
                                      2,
                                      0x7f,
                                      0xff,
                                      0x100,
                                      0xffff,
                                      std::uint64_t{1} << 31,
                                      UINT32_MAX - 7,
                                      UINT32_MAX - 1,
                                      UINT32_MAX,
                                      std::uint64_t{1} << 39,
                                      std::uint64_t{1} << 62,
                                      UINT64_MAX - 7,
                                      UINT64_MAX - 1,
                                      UINT64_MAX};

/// Room for the input that is being read, which outlives the process.
class LastInput {
 public:
  static constexpr std::size_t kRoom = 1 << 20;

  LastInput() {
    const char* outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
    const std::string path = std::string(outputs != nullptr ? outputs : "/tmp") + "/last_input";
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file_ < 0 || ::ftruncate(file_, kRoom) != 0)
      throw std::runtime_error("cannot write " + path);
    memory_ = ::mmap(nullptr, kRoom, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error("cannot map " + path);
  }
  ~LastInput() {
    ::munmap(memory_, kRoom);
    ::close(file_);
  }
  LastInput(const LastInput&) = delete;
  LastInput& operator=(const LastInput&) = delete;

  /// Its size, 8 B, and what it is.
  void note(std::span<const std::byte> input) {
    auto* bytes = static_cast<std::byte*>(memory_);
    const std::uint64_t size = std::min(input.size(), kRoom - sizeof size);
    std::memcpy(bytes, &size, sizeof size);
    std::memcpy(bytes + sizeof size, input.data(), size);
  }

 private:
  int file_;
  void* memory_;
};

std::uint64_t drawn_value() {
  if (*rc::gen::inRange(0, 2) == 0) {
    return kTelling[*rc::gen::inRange<std::size_t>(0, std::size(kTelling))];
  }
  return *rc::gen::inRange<std::uint64_t>(0, 300);
}

Mutations drawn() {
  // Most inputs have few changes: what the first one breaks hides the others.
  const int count = 1 + *rc::gen::inRange(0, 4) * *rc::gen::inRange(0, 2);
  Mutations all;
  for (int i = 0; i < count; ++i) {
    all.push_back({.kind = static_cast<Kind>(*rc::gen::inRange(0, kKinds)),
                   .at = *rc::gen::inRange<std::uint32_t>(0, 1 << 20),
                   .value = drawn_value()});
  }
  return all;
}

template <typename Bytes>
void set(Bytes& bytes, std::size_t at, std::uint64_t value, std::size_t size) {
  at = at / 4 * 4;
  if (at + size <= bytes.size()) std::memcpy(bytes.data() + at, &value, size);
}

template <typename Bytes>
void apply(Bytes& bytes, const Mutation& mutation, std::string_view word) {
  if (bytes.empty()) return;
  const std::size_t at = mutation.at % bytes.size();
  const auto here = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  const auto some = static_cast<std::ptrdiff_t>(
      std::min<std::uint64_t>(mutation.value % kMostBytes, bytes.size() - at));
  switch (mutation.kind) {
    case Kind::kFlipBit:
      *here = static_cast<typename Bytes::value_type>(static_cast<unsigned char>(*here) ^
                                                      (1U << mutation.value % 8));
      return;
    case Kind::kSetByte:
      *here = static_cast<typename Bytes::value_type>(mutation.value);
      return;
    case Kind::kSetWord:
      return set(bytes, at, mutation.value, sizeof(std::uint64_t));
    case Kind::kSetHalf:
      return set(bytes, at, mutation.value, sizeof(std::uint32_t));
    case Kind::kCut:
      bytes.resize(at);
      return;
    case Kind::kErase:
      bytes.erase(here, here + some);
      return;
    case Kind::kRepeat: {
      const Bytes repeated(here, here + some);
      bytes.insert(here, repeated.begin(), repeated.end());
      return;
    }
    case Kind::kPutWord: {
      const auto* first = reinterpret_cast<const typename Bytes::value_type*>(word.data());
      bytes.insert(here, first, first + word.size());
      return;
    }
  }
}

// The property itself: whichever input, and what is said of it.
template <typename Input, typename Mutate, typename Read>
bool holds(const std::string& name, const std::vector<Input>& seeds, const Mutate& mutate,
           const Read& read, const IsRefusal& is_refusal) {
  LastInput last;
  const auto try_on = [&](const Input& input) {
    last.note(std::as_bytes(std::span(input)));
    try {
      read(input);
    } catch (const std::exception& error) {
      if (!is_refusal(error)) {
        RC_FAIL(std::string(typeid(error).name()) + ": " + error.what());
      }
    }
  };
  for (const Input& seed : seeds) read(seed);
  return rc::check(name, [&] {
    const Input& seed = seeds[*rc::gen::inRange<std::size_t>(0, seeds.size())];
    const Mutations mutations = drawn();
    RC_LOG() << rc::toString(mutations) << std::endl;
    try_on(mutate(seed, mutations));
  });
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Mutation& mutation) {
  return out << "{kind " << static_cast<int>(mutation.kind) << ", at " << mutation.at << ", value "
             << mutation.value << "}";
}

std::vector<std::byte> mutated(std::span<const std::byte> input, const Mutations& mutations) {
  constexpr std::string_view kZeros("\0\0\0\0\0\0\0\0", 8);
  std::vector<std::byte> bytes(input.begin(), input.end());
  for (const Mutation& mutation : mutations) apply(bytes, mutation, kZeros);
  return bytes;
}

std::string mutated(const std::string& input, const Mutations& mutations,
                    std::span<const std::string_view> dictionary) {
  std::string text = input;
  for (const Mutation& mutation : mutations) {
    apply(text, mutation, dictionary[mutation.value % dictionary.size()]);
  }
  return text;
}

bool survives(const std::string& name, const std::vector<std::vector<std::byte>>& seeds,
              const ReadBytes& read, const IsRefusal& is_refusal) {
  return holds(
      name, seeds,
      [](const auto& seed, const Mutations& mutations) { return mutated(seed, mutations); }, read,
      is_refusal);
}

bool survives(const std::string& name, const std::vector<std::string>& seeds,
              const std::vector<std::string_view>& dictionary, const ReadText& read,
              const IsRefusal& is_refusal) {
  return holds(
      name, seeds,
      [&](const std::string& seed, const Mutations& mutations) {
        return mutated(seed, mutations, dictionary);
      },
      read, is_refusal);
}

}  // namespace verbena::testing
