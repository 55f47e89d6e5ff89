// Composing and checking log records.
#include "txn/log/log_record.h"

#include <cstring>

#include "rdma/base/random.h"
#include "txn/store/record.h"

namespace verbena::txn {

std::uint64_t log_checksum(const std::byte* memory, std::uint32_t bytes) {
  std::uint64_t sum = 0x6c6f67;
  for (std::uint32_t at = 0; at < bytes; at += 8) {
    const std::uint64_t word = at == offsetof(LogHeader, position) ? 0 : load_word(memory + at);
    const auto product = static_cast<unsigned __int128>(sum ^ word) * 0x9e3779b97f4a7c15ULL;
    sum =
        static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64) ^ (at + 1);
  }
  return mix64(sum);
}

LogRecordWriter::LogRecordWriter(std::byte* memory, std::uint64_t position, std::uint64_t owner,
                                 std::uint64_t sequence, std::span<const PartitionId> partitions)
    : begin_(memory), end_(memory + sizeof(LogHeader)) {
  header_ = {.bytes = 0,
             .updates = 0,
             .kind = LogHeader::Kind::kUpdates,
             .partitions = static_cast<std::uint8_t>(partitions.size()),
             .position = position,
             .owner = owner,
             .sequence = sequence};
  const auto list_bytes = static_cast<std::uint32_t>(partitions.size() * sizeof(PartitionId));
  std::memset(end_, 0, padded_to_words(list_bytes));
  std::memcpy(end_, partitions.data(), list_bytes);
  end_ += padded_to_words(list_bytes);
}

void LogRecordWriter::add(const LogUpdate& update, std::span<const std::byte> payload) {
  const auto bytes = static_cast<std::uint32_t>(payload.size());
  std::memcpy(end_, &update, sizeof update);
  end_ += sizeof update;
  if (bytes % 8 != 0) std::memset(end_ + bytes / 8 * 8, 0, 8);
  std::memcpy(end_, payload.data(), bytes);
  end_ += padded_to_words(bytes);
  ++header_.updates;
}

std::uint32_t LogRecordWriter::finish() {
  const auto bytes = static_cast<std::uint32_t>(end_ - begin_ + sizeof(LogTrailer));
  header_.bytes = bytes;
  std::memcpy(begin_, &header_, sizeof header_);
  const LogTrailer trailer{
      .checksum = log_checksum(begin_, bytes - sizeof(LogTrailer)), .reserved = 0, .bytes = bytes};
  std::memcpy(end_, &trailer, sizeof trailer);
  return bytes;
}

std::uint64_t log_padding_word(std::uint32_t bytes) {
  LogHeader header{};
  header.bytes = bytes;
  header.kind = LogHeader::Kind::kPadding;
  std::uint64_t word;
  std::memcpy(&word, &header, sizeof word);
  return word;
}

std::uint32_t log_bytes_to_read(const std::byte* word) {
  LogHeader header;
  std::memcpy(&header, word, kLogWordBytes);
  return header.kind == LogHeader::Kind::kPadding ? kLogWordBytes : header.bytes;
}

std::optional<LogRecordReader> LogRecordReader::parse(std::span<const std::byte> memory,
                                                      std::uint64_t position) {
  LogRecordReader reader;
  if (memory.size() < kLogWordBytes) return std::nullopt;
  std::memcpy(&reader.header_, memory.data(), kLogWordBytes);
  const std::uint32_t bytes = reader.header_.bytes;
  if (bytes % 8 != 0) return std::nullopt;
  if (reader.padding()) return reader;
  if (bytes > memory.size()) return std::nullopt;
  const std::uint32_t frame = log_frame_bytes(reader.header_.partitions);
  if (reader.header_.kind != LogHeader::Kind::kUpdates || bytes < frame) return std::nullopt;

  std::memcpy(&reader.header_, memory.data(), sizeof(LogHeader));
  LogTrailer trailer;
  std::memcpy(&trailer, memory.data() + bytes - sizeof trailer, sizeof trailer);
  if (trailer.bytes != bytes || reader.header_.position != position ||
      trailer.checksum != log_checksum(memory.data(), bytes - sizeof trailer)) {
    return std::nullopt;
  }
  reader.partitions_ =
      memory.subspan(sizeof(LogHeader), reader.header_.partitions * sizeof(PartitionId));
  reader.updates_ =
      memory.first(bytes - sizeof trailer)
          .subspan(sizeof(LogHeader) + padded_to_words(reader.header_.partitions * 2));
  return reader;
}

bool LogRecordReader::begins(std::span<const std::byte> memory, std::uint64_t position) {
  LogHeader header;
  if (memory.size() < sizeof header) return false;
  std::memcpy(&header, memory.data(), sizeof header);
  return header.kind == LogHeader::Kind::kUpdates && header.position == position;
}

}  // namespace verbena::txn
