// Pipes that end, that do not, and what is none.
#include "experiments/config/input_pipe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <thread>

#include "rdma/base/errors.h"

namespace verbena::experiments {
namespace {

constexpr Nanoseconds kLittle = 50 * kMillisecond;

class InputPipeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    unlink(file_.c_str());
    ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  }

  void TearDown() override { unlink(file_.c_str()); }

  std::string refusal() const {
    try {
      read_file_or_pipe(file_, "--config pipe", kLittle);
    } catch (const ConfigurationError& error) {
      return error.what();
    }
    return "(read)";
  }

  const std::string file_ = ::testing::TempDir() + "a_pipe";
};

TEST_F(InputPipeTest, IsReadToItsEnd) {
  const std::string content(300'000, 'x');  // more than a pipe holds
  std::thread writer([&] {
    const int end = open(file_.c_str(), O_WRONLY);
    for (std::size_t at = 0; at < content.size();) {
      at += static_cast<std::size_t>(write(end, content.data() + at, content.size() - at));
    }
    close(end);
  });
  EXPECT_EQ(read_file_or_pipe(file_, "--config pipe"), content);
  writer.join();
}

TEST_F(InputPipeTest, HasNoByteOrderMark) {
  std::thread writer([&] {
    const int end = open(file_.c_str(), O_WRONLY);
    EXPECT_EQ(write(end, "\xef\xbb\xbf[nic]", 8), 8);
    close(end);
  });
  EXPECT_EQ(read_file_or_pipe(file_, "--config pipe"), "[nic]");
  writer.join();
}

TEST_F(InputPipeTest, ThatNobodyWritesIsRefused) {
  EXPECT_EQ(refusal(),
            "--config pipe: is a pipe that was not closed within 50ms; 0 bytes had come");
}

TEST_F(InputPipeTest, ThatIsNotClosedIsRefused) {
  const int both = open(file_.c_str(), O_RDWR);
  ASSERT_EQ(write(both, "abc", 3), 3);
  EXPECT_EQ(refusal(),
            "--config pipe: is a pipe that was not closed within 50ms; 3 bytes had come");
  close(both);
}

TEST(InputPipe, ThatIsADeviceIsRefused) {
  EXPECT_THROW(read_file_or_pipe("/dev/zero", "--config zero"), ConfigurationError);
}

}  // namespace
}  // namespace verbena::experiments
