// Addresses for processes, or what stands for them, that find each other over TCP.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <string>
#include <vector>

namespace verbena::testing {

/// So many different ones of this machine, at which nobody listens now.
inline std::vector<std::string> free_addresses(std::size_t count) {
  std::vector<std::string> addresses;
  std::vector<int> sockets;
  for (std::size_t i = 0; i < count; ++i) {
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    EXPECT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length), 0);
    addresses.push_back("127.0.0.1:" + std::to_string(ntohs(address.sin_port)));
    sockets.push_back(descriptor);
  }
  for (const int descriptor : sockets) close(descriptor);
  return addresses;
}

}  // namespace verbena::testing
