// Changes of valid inputs, drawn by RapidCheck: what is tried on those who read what others wrote.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace verbena::testing {

/// One change of some bytes. Those of a text put whole words in, e.g. keys or operators.
struct Mutation {
  enum class Kind : std::uint8_t {
    kFlipBit,
    kSetByte,
    kSetWord,  ///< 8 B, at a multiple of 4
    kSetHalf,  ///< 4 B, likewise
    kCut,      ///< the end
    kErase,    ///< some bytes
    kRepeat,   ///< some bytes, right behind themselves
    kPutWord,  ///< of the dictionary, or zeros where there is none
  };
  Kind kind = Kind::kFlipBit;
  std::uint32_t at = 0;     ///< modulo the size
  std::uint64_t value = 0;  ///< or how many bytes, or which word
};

std::ostream& operator<<(std::ostream& out, const Mutation& mutation);

using Mutations = std::vector<Mutation>;

/// `input` with the changes made one after the other.
std::vector<std::byte> mutated(std::span<const std::byte> input, const Mutations& mutations);
std::string mutated(const std::string& input, const Mutations& mutations,
                    std::span<const std::string_view> dictionary);

/// Reads one input; throws what it refuses it by.
using ReadBytes = std::function<void(std::span<const std::byte> input)>;
using ReadText = std::function<void(const std::string& input)>;

/// True if an exception is a refusal that `read` may answer with.
using IsRefusal = std::function<bool(const std::exception& error)>;

template <typename... Errors>
bool is_any_of(const std::exception& error) {
  return ((dynamic_cast<const Errors*>(&error) != nullptr) || ...);
}

/// Tries `read` on mutations of the seeds, as many as RC_PARAMS says (max_success), and on the
/// seeds themselves, which it has to take where `seeds_are_valid`. It has to return or to throw a
/// refusal; what ends the process leaves the input in the file "last_input" among the test's
/// outputs. False: it threw something else, which has been printed with the input.
bool survives(const std::string& name, const std::vector<std::vector<std::byte>>& seeds,
              const ReadBytes& read, const IsRefusal& is_refusal);
bool survives(const std::string& name, const std::vector<std::string>& seeds,
              const std::vector<std::string_view>& dictionary, const ReadText& read,
              const IsRefusal& is_refusal);

}  // namespace verbena::testing
