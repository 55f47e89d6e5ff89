// How nodes learn of each other: within a process, over TCP, and what goes wrong there.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/hardware/tcp_rendezvous.h"
#include "rdma/hardware/tcp_socket.h"
#include "rdma/hardware/value_server.h"
#include "rdma/seam/in_memory_rendezvous.h"
#include "tests/support/free_addresses.h"

namespace verbena::rdma {
namespace {

using testing::free_addresses;

std::vector<std::byte> value(std::size_t bytes, int fill) {
  return std::vector<std::byte>(bytes, static_cast<std::byte>(fill));
}

/// Has node 1 publish "key" a little later.
std::jthread publish_later(Rendezvous& rendezvous, std::vector<std::byte> published) {
  return std::jthread([&rendezvous, published = std::move(published)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    rendezvous.publish(1, "key", published);
  });
}

/// Takes what connects to `listener`, and closes it at once.
std::jthread close_connections(const Socket& listener) {
  return std::jthread([&listener](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const Socket taken(accept(listener.get(), nullptr, nullptr));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

template <typename Error>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(InMemoryRendezvous, HandsOverWhatIsPublishedEvenLater) {
  InMemoryRendezvous rendezvous;
  rendezvous.publish(1, "a", value(3, 7));
  EXPECT_EQ(rendezvous.fetch(1, "a", kSecond), value(3, 7));
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    rendezvous.publish(2, "a", value(4, 8));
  });
  EXPECT_EQ(rendezvous.fetch(2, "a", 10 * kSecond), value(4, 8));
}

TEST(InMemoryRendezvous, NamesTheNodeThatDidNotPublish) {
  InMemoryRendezvous rendezvous;
  const std::string message =
      message_of<PeerMissing>([&] { rendezvous.fetch(5, "a", 10 * kMillisecond); });
  EXPECT_NE(message.find("node 5"), std::string::npos) << message;
}

TEST(TcpRendezvous, CarriesValuesOfAllSizesBothWays) {
  const auto addresses = free_addresses(3);
  const auto left = make_tcp_rendezvous(3, {0}, addresses);
  const auto right = make_tcp_rendezvous(3, {1, 2}, addresses);
  left->publish(0, "empty", {});
  left->publish(0, "large", value(1 << 20, 3));
  right->publish(1, "key", value(10, 1));
  right->publish(2, "key", value(20, 2));
  EXPECT_EQ(right->fetch(0, "empty", 10 * kSecond), value(0, 0));
  EXPECT_EQ(right->fetch(0, "large", 10 * kSecond), value(1 << 20, 3));
  EXPECT_EQ(left->fetch(1, "key", 10 * kSecond), value(10, 1));
  EXPECT_EQ(left->fetch(2, "key", 10 * kSecond), value(20, 2));
  EXPECT_EQ(left->fetch(0, "empty", 10 * kSecond), value(0, 0)) << "of the own node";
}

TEST(TcpRendezvous, WaitsForAPeerThatComesUpLater) {
  const auto addresses = free_addresses(2);
  const auto left = make_tcp_rendezvous(2, {0}, addresses);
  std::unique_ptr<Rendezvous> right;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    right = make_tcp_rendezvous(2, {1}, addresses);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    right->publish(1, "key", value(1, 1));
  });
  EXPECT_EQ(left->fetch(1, "key", 20 * kSecond), value(1, 1));
}

TEST(TcpRendezvous, NamesNodeAndAddressOfAPeerThatIsMissing) {
  const auto addresses = free_addresses(2);
  const auto left = make_tcp_rendezvous(2, {0}, addresses);
  const auto begin = std::chrono::steady_clock::now();
  const std::string message =
      message_of<PeerLate>([&] { left->fetch(1, "key", 100 * kMillisecond); });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_NE(message.find("node 1 (" + addresses[1] + ")"), std::string::npos) << message;
  EXPECT_NE(message.find("refused"), std::string::npos) << message;
}

TEST(TcpRendezvous, RefusesBadAddresses) {
  const auto refusal = [](const std::vector<std::string>& addresses) {
    return message_of<ConfigurationError>(
        [&] { make_tcp_rendezvous(static_cast<std::uint32_t>(addresses.size()), {0}, addresses); });
  };
  EXPECT_EQ(refusal({"nohost"}),
            "address of node 0: 'nohost' is not host:port with a port of 1 to 65535");
  EXPECT_EQ(refusal({"127.0.0.1:99999"}),
            "address of node 0: '127.0.0.1:99999' is not host:port with a port of 1 to 65535");
  EXPECT_EQ(message_of<ConfigurationError>([] { make_tcp_rendezvous(2, {0}, {"127.0.0.1:1"}); }),
            "addresses: 1 are given for 2 nodes");
  EXPECT_EQ(refusal({"192.0.2.1:1"}).find("address of node 0: cannot listen at '192.0.2.1:1': "),
            0U);
  const auto addresses = free_addresses(1);
  const auto first = make_tcp_rendezvous(1, {0}, addresses);
  EXPECT_EQ(refusal(addresses), "address of node 0: '" + addresses[0] +
                                    "' is taken: another process is node 0 already");
  const std::vector<std::string> exchanged = {free_addresses(1)[0], addresses[0]};
  EXPECT_EQ(message_of<ConfigurationError>([&] { make_tcp_rendezvous(2, {1}, exchanged); }),
            "address of node 1: '" + addresses[0] +
                "' is taken: another node has it; give all processes the same addresses");
}

TEST(TcpRendezvous, NoticesThatAnAddressBelongsToAnotherNode) {
  const auto addresses = free_addresses(3);
  const auto right = make_tcp_rendezvous(3, {2}, addresses);
  // Seen from the left, nodes 1 and 2 have changed places.
  const auto left = make_tcp_rendezvous(3, {0}, {addresses[0], addresses[2], addresses[1]});
  const std::string message =
      message_of<ConfigurationError>([&] { left->fetch(1, "key", 10 * kSecond); });
  EXPECT_NE(message.find("belongs to another node"), std::string::npos) << message;
}

/// A connection of somebody else, that has sent `text`.
class Stranger {
 public:
  Stranger(const std::string& address, const std::string& text)
      : socket_(connect_to(parse_address(0, address), std::chrono::seconds(2)).socket) {
    EXPECT_TRUE(socket_.valid());
    socket_.send_all(text.data(), text.size());
  }

 private:
  Socket socket_;
};

TEST(TcpRendezvous, IsNotDelayedByStrangers) {
  const auto addresses = free_addresses(2);
  const auto left = make_tcp_rendezvous(2, {0}, addresses);
  const auto right = make_tcp_rendezvous(2, {1}, addresses);
  left->publish(0, "key", value(100, 1));
  std::deque<Stranger> strangers;
  for (int i = 0; i < 50; ++i) {
    strangers.emplace_back(addresses[0], "");
    strangers.emplace_back(addresses[0], "vdp2");
    strangers.emplace_back(addresses[0], "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  // One after the other they would keep it from being served for minutes.
  EXPECT_EQ(right->fetch(0, "key", 20 * kSecond), value(100, 1));
  EXPECT_GE(left->strangers(), 50U);
  EXPECT_EQ(right->strangers(), 0U);
}

TEST(TcpRendezvous, MakesRoomWhereThereAreTooMany) {
  const auto addresses = free_addresses(2);
  const auto left = make_tcp_rendezvous(2, {0}, addresses);
  const auto right = make_tcp_rendezvous(2, {1}, addresses);
  left->publish(0, "key", value(100, 1));
  std::deque<Stranger> strangers;
  for (std::size_t i = 0; i < ValueServer::kMost + 50; ++i)
    strangers.emplace_back(addresses[0], "");
  EXPECT_EQ(right->fetch(0, "key", 10 * kSecond), value(100, 1));
  EXPECT_GE(left->strangers(), 50U);
}

TEST(TcpRendezvous, AnswersOnceThereAreDescriptorsAgain) {
  const auto addresses = free_addresses(2);
  const auto left = make_tcp_rendezvous(2, {0}, addresses);
  const auto right = make_tcp_rendezvous(2, {1}, addresses);
  left->publish(0, "key", value(100, 1));
  std::vector<Socket> all;
  do {
    all.emplace_back(dup(STDIN_FILENO));
  } while (all.back().valid());
  // The one that asks takes the only one that is left.
  all.pop_back();
  all.pop_back();
  EXPECT_THROW(right->fetch(0, "key", 300 * kMillisecond), PeerMissing);
  all.clear();
  EXPECT_EQ(right->fetch(0, "key", 20 * kSecond), value(100, 1));
}

TEST(TcpRendezvous, TellsWhyAPeerHasEnded) {
  const auto addresses = free_addresses(3);
  const auto first = make_tcp_rendezvous(3, {0}, addresses);
  const auto second = make_tcp_rendezvous(3, {1}, addresses);
  const auto third = make_tcp_rendezvous(3, {2}, addresses);
  first->publish(0, "there", value(1, 1));
  first->end("no device", 0);
  EXPECT_EQ(second->fetch(0, "there", 10 * kSecond), value(1, 1)) << "goes on to serve";
  const std::string message =
      message_of<PeerMissing>([&] { second->fetch(0, "key", 10 * kSecond); });
  EXPECT_EQ(message, "node 0 (" + addresses[0] + ") has ended: no device");
  // The reason is that of the first.
  second->end(message, 0);
  EXPECT_EQ(message_of<PeerMissing>([&] { third->fetch(1, "key", 10 * kSecond); }), message);
}

TEST(TcpRendezvous, TellsItsEndToWhomeverHasTakenWhatItPublished) {
  const auto addresses = free_addresses(2);
  auto first = make_tcp_rendezvous(2, {0}, addresses);
  const auto second = make_tcp_rendezvous(2, {1}, addresses);
  first->publish(0, "there", value(1, 1));
  second->fetch(0, "there", 10 * kSecond);
  first->end("no device", kSecond);
  first.reset();
  EXPECT_EQ(message_of<PeerEnded>([&] { second->fetch(0, "key", 10 * kSecond); }),
            "node 0 (" + addresses[0] + ") has ended: no device");
}

// The peer may find there that it is to blame.
TEST(TcpRendezvous, StaysForPeersThatAreStillToTakeWhatItPublished) {
  const auto addresses = free_addresses(2);
  const auto first = make_tcp_rendezvous(2, {0}, addresses);
  const auto second = make_tcp_rendezvous(2, {1}, addresses);
  first->publish(0, "key", value(1, 1));
  std::atomic<bool> ended = false;
  std::jthread ending([&] {
    first->end("they differ", 100 * kSecond);
    ended = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(ended);
  EXPECT_EQ(second->fetch(0, "key", 10 * kSecond), value(1, 1));
}

TEST(TcpRendezvous, StaysForPeersThatHaveNotComeUpOnlyIfItIsTheFirstToEnd) {
  const auto addresses = free_addresses(3);
  const auto first = make_tcp_rendezvous(3, {0}, addresses);
  const auto begin = std::chrono::steady_clock::now();
  first->end("node 2 (x:1) has ended: --threads 0", 1000 * kSecond);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(500));
}

TEST(TcpRendezvous, TellsAnEndToPeersThatWaitForOneThatNeverComes) {
  const auto addresses = free_addresses(3);
  const auto first = make_tcp_rendezvous(3, {0}, addresses);
  std::jthread refused([&] { tell_end(2, addresses, "--threads 0", kSecond); });
  EXPECT_EQ(message_of<PeerEnded>([&] { first->fetch(1, "key", 100 * kSecond); }),
            "node 2 (" + addresses[2] + ") has ended: --threads 0");
}

TEST(TcpRendezvous, TellsAnEndToNobodyAtTheAddressOfAnother) {
  const auto addresses = free_addresses(3);
  // Seen from the left, nodes 1 and 2 have changed places.
  const auto left = make_tcp_rendezvous(3, {0}, {addresses[0], addresses[2], addresses[1]});
  const auto second = make_tcp_rendezvous(3, {1}, addresses);
  const auto third = make_tcp_rendezvous(3, {2}, addresses);
  std::atomic<bool> ended = false;
  std::jthread ending([&] {
    left->end("--threads 0", 100 * kSecond);
    ended = true;
  });
  const std::string told = "node 0 (" + addresses[0] + ") has ended: --threads 0";
  EXPECT_EQ(message_of<PeerEnded>([&] { second->fetch(0, "key", 10 * kSecond); }), told);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(ended) << "the third has not heard of it";
  EXPECT_EQ(message_of<PeerEnded>([&] { third->fetch(0, "key", 10 * kSecond); }), told);
}

TEST(TcpRendezvous, WaitsForOthersThanThePeerThatEndedOnceAllHaveMet) {
  const auto addresses = free_addresses(3);
  const auto first = make_tcp_rendezvous(3, {0}, addresses);
  const auto second = make_tcp_rendezvous(3, {1}, addresses);
  const auto third = make_tcp_rendezvous(3, {2}, addresses);
  second->publish(1, "there", value(1, 1));
  third->publish(2, "there", value(1, 2));
  first->fetch(1, "there", 10 * kSecond);
  first->fetch(2, "there", 10 * kSecond);
  third->end("no device", kSecond);
  const std::jthread later = publish_later(*second, value(3, 3));
  EXPECT_EQ(first->fetch(1, "key", 20 * kSecond), value(3, 3));
}

TEST(TcpRendezvous, TellsNoEndOfANodeThatAnotherProcessIs) {
  const auto addresses = free_addresses(2);
  const auto first = make_tcp_rendezvous(2, {0}, addresses);
  const auto second = make_tcp_rendezvous(2, {1}, addresses);
  tell_end(1, addresses, "--threads 0", 10 * kSecond);
  const std::jthread later = publish_later(*second, value(1, 1));
  EXPECT_EQ(first->fetch(1, "key", 20 * kSecond), value(1, 1));
}

TEST(TcpRendezvous, TellsAnEndWhereSomethingElseHasTheAddress) {
  const auto addresses = free_addresses(2);
  const auto first = make_tcp_rendezvous(2, {0}, addresses);
  const Socket other = listen_at(1, parse_address(1, addresses[1]));
  const std::jthread closing = close_connections(other);
  tell_end(1, addresses, "cannot listen", 10 * kSecond);
  EXPECT_EQ(message_of<PeerEnded>([&] { first->fetch(1, "key", 10 * kSecond); }),
            "node 1 (" + addresses[1] + ") has ended: cannot listen");
}

// It may be a process of that node that is stopped, and goes on.
TEST(TcpRendezvous, TellsNoEndWhereSomethingHasTheAddressAndIsSilent) {
  const auto addresses = free_addresses(2);
  const auto first = make_tcp_rendezvous(2, {0}, addresses);
  const Socket other = listen_at(1, parse_address(1, addresses[1]));
  tell_end(1, addresses, "cannot listen", 10 * kSecond);
  const std::string message = message_of<PeerMissing>([&] { first->fetch(1, "key", kSecond); });
  EXPECT_NE(message.find("did not come up within 1s: it does not answer"), std::string::npos)
      << message;
}

TEST(TcpRendezvous, TellsPeersForNoLongerThanItIsTo) {
  // Addresses for documentation, at which nobody is.
  std::vector<std::string> addresses = free_addresses(1);
  for (int node = 1; node < 500; ++node) addresses.push_back("192.0.2.1:7001");
  const auto begin = std::chrono::steady_clock::now();
  tell_end(0, addresses, "--threads 0", kSecond);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST(TcpRendezvous, ListensAtNoOtherAddressOfANameThatIsTaken) {
  const auto addresses = free_addresses(1);
  const std::string port = addresses[0].substr(addresses[0].rfind(':') + 1);
  const Address name = parse_address(0, "localhost:" + port);
  const Socket first = listen_at(0, name);
  EXPECT_THROW(listen_at(0, name), ConfigurationError);
}

TEST(TcpRendezvous, LingersForNobodyAtAnAddressThatThereIsNot) {
  auto addresses = free_addresses(2);
  addresses[1] = "no such host:1";
  tell_end(0, addresses, "--threads 0", 1000 * kSecond);
}

TEST(TcpRendezvous, CutsReasonsThatAreTooLong) {
  const auto addresses = free_addresses(2);
  const auto first = make_tcp_rendezvous(2, {0}, addresses);
  tell_end(1, addresses, std::string(100'000, 'x'), 10 * kSecond);
  const std::string message = message_of<PeerEnded>([&] { first->fetch(1, "key", 10 * kSecond); });
  EXPECT_NE(message.find(" has ended: xxx"), std::string::npos) << message;
}

TEST(TcpRendezvous, LingersNoLongerThanAPeerNeedsToKnow) {
  const auto addresses = free_addresses(3);
  std::deque<std::unique_ptr<Rendezvous>> peers;
  for (NodeId node = 0; node < 3; ++node) {
    peers.push_back(make_tcp_rendezvous(3, {node}, addresses));
  }
  const auto begin = std::chrono::steady_clock::now();
  std::deque<std::jthread> ending;
  for (const auto& peer : peers) {
    ending.emplace_back([&peer = *peer] { peer.end("all end, and nobody asks", 100 * kSecond); });
  }
  ending.clear();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST(TcpRendezvous, NoticesThatAPeerWhichWasThereIsGone) {
  const auto addresses = free_addresses(2);
  const auto first = make_tcp_rendezvous(2, {0}, addresses);
  auto second = make_tcp_rendezvous(2, {1}, addresses);
  second->publish(1, "there", value(1, 1));
  first->fetch(1, "there", 10 * kSecond);
  second.reset();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(message_of<PeerMissing>([&] { first->fetch(1, "key", 100 * kSecond); }),
            "node 1 (" + addresses[1] + ") has ended, and did not say why");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
}

TEST(TcpRendezvous, WaitsNoLongerThanPeopleDo) {
  const auto addresses = free_addresses(2);
  const auto first = make_tcp_rendezvous(2, {0}, addresses);
  std::atomic<bool> stop = true;
  const auto begin = std::chrono::steady_clock::now();
  first->heed(&stop);
  EXPECT_EQ(message_of<Interrupted>([&] { first->fetch(1, "key", 100 * kSecond); }),
            "interrupted while it waited for node 1 (" + addresses[1] + ")");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(50));
  first->heed(nullptr);
  EXPECT_NE(message_of<PeerMissing>([&] { first->fetch(1, "key", 10 * kMillisecond); }),
            "nothing was thrown");
}

TEST(TcpRendezvous, KnowsWhoHasFetched) {
  const auto addresses = free_addresses(3);
  const auto first = make_tcp_rendezvous(3, {0}, addresses);
  const auto second = make_tcp_rendezvous(3, {1}, addresses);
  first->publish(0, "key", value(1, 1));
  EXPECT_FALSE(first->await_fetch(0, "key", 1, 10 * kMillisecond));
  second->fetch(0, "key", 10 * kSecond);
  EXPECT_TRUE(first->await_fetch(0, "key", 1, 10 * kSecond));
  EXPECT_FALSE(first->await_fetch(0, "key", 2, 10 * kMillisecond));
}

// It is larger than what one call of the operating system takes.
TEST(TcpRendezvous, MayEndOnceItsValueWasFetched) {
  const auto addresses = free_addresses(2);
  auto first = make_tcp_rendezvous(2, {0}, addresses);
  const auto second = make_tcp_rendezvous(2, {1}, addresses);
  first->publish(0, "key", value(64 << 20, 3));
  std::vector<std::byte> fetched;
  std::jthread fetching([&] { fetched = second->fetch(0, "key", 30 * kSecond); });
  EXPECT_TRUE(first->await_fetch(0, "key", 1, 30 * kSecond));
  first.reset();
  fetching.join();
  EXPECT_EQ(fetched, value(64 << 20, 3));
}

}  // namespace
}  // namespace verbena::rdma
