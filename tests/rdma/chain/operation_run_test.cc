// Operations and chains against a plain model, and their messages.
#include "rdma/chain/operation_run.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <random>
#include <set>

#include "rdma/base/errors.h"
#include "rdma/chain/chain_message.h"
#include "rdma/chain/chain_state.h"
#include "rdma/chain/compare_and_swap.h"
#include "rdma/chain/free_list.h"
#include "tests/rdma/chain/reference_model.h"

namespace verbena::rdma {
namespace {

using testing::ModelResult;
using testing::ModelServer;
using Where = Place::Where;

/// Memory, carried out upon without time.
struct Server {
  explicit Server(const ModelServer& model)
      : memory(model.memory),
        epochs(1),
        list(kFirstBuffer, model.buffer_bytes, kBuffers, epochs),
        lists{&list} {
    for (const std::uint64_t buffer : model.free_buffers) list.post_new(buffer);
  }

  ModelResult run(const Operation& operation, Scratch& scratch) {
    const ChainMemory served{memory.size(), rights, lists};
    std::vector<std::byte> room(OperationRun::room_for(operation));
    OperationRun run(operation, served, scratch, room);
    while (const OperationRun::Access* access = run.next()) {
      std::byte* at = memory.data() + access->offset;
      if (access->kind == OperationRun::Kind::kWrite) {
        std::memcpy(at, access->from.data(), access->from.size());
      } else {
        std::memcpy(access->into.data(), at, access->into.size());
      }
      if (access->kind == OperationRun::Kind::kUpdate) {
        const auto changed = run.apply();
        std::memcpy(at, changed.data(), changed.size());
      }
      run.done();
    }
    const OperationResult& result = run.result();
    return {result.outcome, result.length, {result.data.begin(), result.data.end()}};
  }

  std::vector<ModelResult> run(const std::vector<Operation>& chain) {
    std::vector<ModelResult> results;
    for (const Operation& operation : chain) {
      if (!state.begin(operation)) {
        results.push_back({state.outcome(), 0, {}});
        continue;
      }
      results.push_back(run(operation, state.scratch()));
      state.end(results.back().outcome);
    }
    return results;
  }

  static constexpr std::uint64_t kFirstBuffer = 512;
  static constexpr std::uint32_t kBuffers = 8;
  std::vector<std::byte> memory;
  MemoryRights rights;
  OperationEpochs epochs;
  FreeList list;
  std::vector<FreeList*> lists;
  ChainState state;
};

ModelServer model_of(std::mt19937_64& random) {
  ModelServer model{testing::draw_memory(random, 1024), {}, 64};
  for (std::uint64_t i = 0; i < random() % 4; ++i) {
    model.free_buffers.push_back(Server::kFirstBuffer + 64 * i);
  }
  return model;
}

std::vector<Operation> through_message(const std::vector<Operation>& chain,
                                       std::vector<std::byte>& message) {
  std::size_t bytes = kChainHeaderBytes;
  for (const Operation& operation : chain) bytes += request_bytes(operation);
  message.assign(bytes, std::byte{0xee});
  ChainRequestWriter writer(message, 3, chain.size());
  for (const Operation& operation : chain) writer.put(operation);
  ChainRequestReader reader(message);
  EXPECT_EQ(reader.region(), 3);
  std::vector<Operation> taken;
  for (std::size_t i = 0; i < reader.operations(); ++i) taken.push_back(reader.take());
  return taken;
}

TEST(OperationRun, DoesWhatThePlainModelDoesForRandomChains) {
  std::mt19937_64 random(1);
  std::map<std::pair<ChainOpcode, ChainOutcome>, int> seen;
  for (int i = 0; i < 100'000; ++i) {
    ModelServer model = model_of(random);
    Server server(model);
    const testing::RandomChain chain = testing::draw_chain(random, model.memory.size(), 8);
    std::vector<std::byte> message;
    const std::vector<Operation> operations = through_message(chain.operations, message);
    const std::vector<ModelResult> found = server.run(operations);
    Scratch scratch{};  // all of it is written first
    const std::vector<ModelResult> wanted = testing::carry_out(chain.operations, model, scratch);
    ASSERT_EQ(found, wanted) << "chain " << i;
    ASSERT_EQ(server.memory, model.memory) << "chain " << i;
    ASSERT_EQ(server.state.scratch(), scratch) << "chain " << i;
    ASSERT_EQ(server.list.listed(), model.free_buffers.size()) << "chain " << i;
    for (std::size_t k = 0; k < found.size(); ++k) {
      ++seen[{operations[k].opcode, found[k].outcome}];
    }
  }
  for (const ChainOpcode opcode : {ChainOpcode::kRead, ChainOpcode::kWrite, ChainOpcode::kAllocate,
                                   ChainOpcode::kCompareAndSwap, ChainOpcode::kFetchAndAdd}) {
    for (const ChainOutcome outcome : {ChainOutcome::kDone, ChainOutcome::kSkipped,
                                       ChainOutcome::kAccessError, ChainOutcome::kFlushed}) {
      EXPECT_GT((seen[{opcode, outcome}]), 100)
          << static_cast<int>(opcode) << " " << outcome_text(outcome);
    }
  }
  EXPECT_GT((seen[{ChainOpcode::kCompareAndSwap, ChainOutcome::kNotSwapped}]), 1000);
  EXPECT_GT((seen[{ChainOpcode::kAllocate, ChainOutcome::kNoBuffer}]), 1000);
  EXPECT_GT((seen[{ChainOpcode::kAllocate, ChainOutcome::kLengthError}]), 100);
  EXPECT_GT((seen[{ChainOpcode::kRead, ChainOutcome::kInvalid}]), 100);
}

TEST(CompareAndSwap, ComparesTheOperandWithMemoryWordByWord) {
  using Words = std::vector<std::uint64_t>;
  struct Row {
    CompareMode mode;
    bool below, equal, above;  // how the operand stands to memory
  };
  const Row rows[] = {{CompareMode::kEqual, false, true, false},
                      {CompareMode::kNotEqual, true, false, true},
                      {CompareMode::kGreater, false, false, true},
                      {CompareMode::kGreaterOrEqual, false, true, true},
                      {CompareMode::kLess, true, false, false},
                      {CompareMode::kLessOrEqual, true, true, false},
                      {CompareMode::kAlways, true, true, true}};
  const std::uint64_t all = ~std::uint64_t{0};
  for (const Row& row : rows) {
    // The word at the lowest address is the most significant, and none has a sign.
    EXPECT_EQ(compares(row.mode, Words{1, 9}, Words{2, 0}, Words{all, all}), row.below);
    EXPECT_EQ(compares(row.mode, Words{2, 0}, Words{1, 9}, Words{all, all}), row.above);
    EXPECT_EQ(compares(row.mode, Words{all}, Words{1}, Words{all}), row.above);
    EXPECT_EQ(compares(row.mode, Words{7, 8, 9, 1}, Words{7, 8, 9, 1}, Words{all, all, all, all}),
              row.equal);
    // Bits outside of the mask do not count, of either.
    EXPECT_EQ(compares(row.mode, Words{1, 5}, Words{2, 5}, Words{0, all}), row.equal);
    EXPECT_EQ(compares(row.mode, Words{0xf1}, Words{0x01}, Words{0x0f}), row.equal);
    EXPECT_EQ(compares(row.mode, Words{0x12}, Words{0xf1}, Words{0x0f}), row.above);
  }
}

TEST(CompareAndSwap, ReplacesTheBitsOfItsMaskOnly) {
  std::vector<std::uint64_t> memory{0x1111, 0x2222};
  replace_bits(memory, std::vector<std::uint64_t>{0xffff, 0xffff},
               std::vector<std::uint64_t>{0x00ff, 0});
  EXPECT_EQ(memory, (std::vector<std::uint64_t>{0x11ff, 0x2222}));
}

class Single : public ::testing::Test {
 protected:
  ChainOutcome outcome(const Operation& operation) {
    Scratch scratch{};
    return server_.run(operation, scratch).outcome;
  }
  static Operation of(ChainOpcode opcode, std::uint64_t target, std::uint32_t length) {
    Operation operation;
    operation.opcode = opcode;
    operation.target = {Where::kMemory, target};
    operation.length = length;
    if (opcode == ChainOpcode::kWrite || opcode == ChainOpcode::kAllocate) {
      operation.payload = std::span(kZeros).first(length);
    }
    return operation;
  }
  void put(std::uint64_t at, std::uint64_t value) {
    std::memcpy(server_.memory.data() + at, &value, 8);
  }

  static constexpr std::array<std::byte, 128> kZeros{};
  Server server_{ModelServer{std::vector<std::byte>(1024), {512}, 64}};
};

TEST_F(Single, ABoundOfZeroTouchesNothing) {
  put(64, 1 << 20);  // far outside
  Operation read = of(ChainOpcode::kRead, 64, 100);
  read.target_indirect = read.bounded = true;
  Scratch scratch{};
  EXPECT_EQ(server_.run(read, scratch), (ModelResult{ChainOutcome::kDone, 0, {}}));
  put(72, 1);
  EXPECT_EQ(outcome(read), ChainOutcome::kAccessError);
}

TEST_F(Single, ANullPointerIsAnError) {
  Operation read = of(ChainOpcode::kRead, 64, 8);
  read.target_indirect = true;
  EXPECT_EQ(outcome(read), ChainOutcome::kAccessError);
  put(64, 8);
  EXPECT_EQ(outcome(read), ChainOutcome::kDone);
}

TEST_F(Single, PointersAndAtomicsAreAligned) {
  put(72, 8);
  Operation read = of(ChainOpcode::kRead, 72, 8);
  read.target_indirect = true;
  EXPECT_EQ(outcome(read), ChainOutcome::kDone);
  read.bounded = true;  // a pair
  EXPECT_EQ(outcome(read), ChainOutcome::kInvalid);
  EXPECT_EQ(outcome(of(ChainOpcode::kCompareAndSwap, 72, 8)), ChainOutcome::kDone);
  EXPECT_EQ(outcome(of(ChainOpcode::kCompareAndSwap, 72, 16)), ChainOutcome::kInvalid);
  EXPECT_EQ(outcome(of(ChainOpcode::kFetchAndAdd, 76, 8)), ChainOutcome::kInvalid);
}

TEST_F(Single, AccessesEndWithTheRegion) {
  for (const ChainOpcode opcode : {ChainOpcode::kRead, ChainOpcode::kWrite}) {
    EXPECT_EQ(outcome(of(opcode, 1020, 4)), ChainOutcome::kDone);
    EXPECT_EQ(outcome(of(opcode, 1020, 5)), ChainOutcome::kAccessError);
    EXPECT_EQ(outcome(of(opcode, UINT64_MAX - 1, 4)), ChainOutcome::kAccessError);
  }
  EXPECT_EQ(outcome(of(ChainOpcode::kCompareAndSwap, 1024, 8)), ChainOutcome::kAccessError);
}

TEST_F(Single, ARightThatIsMissingIsAnAccessError) {
  Operation indirect = of(ChainOpcode::kFetchAndAdd, 64, 8);
  indirect.target_indirect = true;
  put(64, 128);
  server_.rights.readable = false;
  EXPECT_EQ(outcome(of(ChainOpcode::kRead, 64, 8)), ChainOutcome::kAccessError);
  EXPECT_EQ(outcome(indirect), ChainOutcome::kAccessError);
  EXPECT_EQ(outcome(of(ChainOpcode::kWrite, 96, 8)), ChainOutcome::kDone);
  server_.rights.readable = true;
  server_.rights.writable = false;
  EXPECT_EQ(outcome(of(ChainOpcode::kWrite, 96, 8)), ChainOutcome::kAccessError);
  EXPECT_EQ(outcome(of(ChainOpcode::kAllocate, 0, 8)), ChainOutcome::kAccessError);
  Operation kept = of(ChainOpcode::kRead, 64, 8);
  kept.redirect = {Where::kMemory, 256};
  EXPECT_EQ(outcome(kept), ChainOutcome::kAccessError);
  EXPECT_EQ(outcome(indirect), ChainOutcome::kDone);
  server_.rights.atomics = false;
  EXPECT_EQ(outcome(indirect), ChainOutcome::kAccessError);
}

TEST_F(Single, NoBufferIsTakenWhereTheResultHasNowhereToGo) {
  Operation allocate = of(ChainOpcode::kAllocate, 0, 8);
  allocate.redirect = {Where::kScratch, kScratchBytes - 4};
  EXPECT_EQ(outcome(allocate), ChainOutcome::kAccessError);
  EXPECT_EQ(server_.list.listed(), 1U);
}

TEST(ChainMessage, RefusesWhatNoWriterWrites) {
  Operation swap;
  swap.opcode = ChainOpcode::kCompareAndSwap;
  swap.target = {Where::kMemory, 64};
  swap.length = 16;
  std::vector<std::byte> message;
  through_message({swap}, message);
  const auto read = [](std::span<const std::byte> bytes) {
    ChainRequestReader reader(bytes);
    for (std::size_t i = 0; i < reader.operations(); ++i) reader.take();
  };
  EXPECT_NO_THROW(read(message));
  for (std::size_t bytes = 0; bytes < message.size(); ++bytes) {
    EXPECT_THROW(read(std::span(message).first(bytes)), Malformed) << bytes << " B";
  }
  message.resize(message.size() + 8);
  EXPECT_THROW(read(message), Malformed);
  message.resize(message.size() - 8);
  for (const auto& [at, value] : {std::pair{0, 17}, {0, 0}, {8, 5}, {9, 7}, {10, 3}, {11, 0x80}}) {
    std::vector<std::byte> changed = message;
    changed[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
    EXPECT_THROW(read(changed), Malformed) << "byte " << at << " is " << value;
  }
}

TEST(ChainMessage, RefusesResultsThatCannotCome) {
  Operation read;
  read.target = {Where::kMemory, 0};
  read.length = 8;
  std::vector<std::byte> reply(16);
  MessageWriter writer(reply);
  const std::array<std::byte, 8> data{};
  put_result(writer, {ChainOutcome::kDone, 8, data});
  const auto take = [&read](std::span<const std::byte> bytes) {
    BoundedReader reader(bytes);
    return take_result(reader, read);
  };
  EXPECT_EQ(take(reply).data.size(), 8U);
  EXPECT_THROW(take(std::span(reply).first(15)), Malformed);
  for (const auto& [at, value] : {std::pair{0, 8}, {0, 3}, {2, 0}, {2, 9}, {4, 4}, {4, 9}}) {
    std::vector<std::byte> changed = reply;
    changed[static_cast<std::size_t>(at)] = static_cast<std::byte>(value);
    EXPECT_THROW(take(changed), Malformed) << "byte " << at << " is " << value;
  }
}

}  // namespace
}  // namespace verbena::rdma
