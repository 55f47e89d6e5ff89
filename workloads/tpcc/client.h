// One stream of TPC-C's transactions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "txn/transaction.h"
#include "workloads/read_faults.h"
#include "workloads/tpcc/database.h"
#include "workloads/tpcc/input.h"
#include "workloads/workload.h"

namespace verbena::workloads::tpcc {

/// Identity of a client in the cluster: a fiber of a worker of a node.
struct ClientId {
  txn::PartitionId node = 0;
  WorkerId worker = 0;
  std::uint16_t fiber = 0;
};

/// Records, besides the district, that one transaction of a stock level reads.
inline constexpr std::uint32_t kStockLevelBatch = 50;

/// A terminal's screen after the last transaction.
struct Screen {
  DistrictName district;
  std::uint32_t customer = 0;
  std::uint64_t order = 0;       ///< the placed order, or the customer's last
  std::uint32_t lines = 0;       ///< of the order
  std::int64_t total = 0;        ///< of a new order, with discount and taxes
  std::uint32_t delivered = 0;   ///< districts in which a delivery found an order
  std::int32_t threshold = 0;    ///< of a stock level: the threshold
  std::uint32_t low_stocks = 0;  ///< of a stock level: items below the threshold
};

/// A terminal. Delivery and stock level take several transactions of the store, as the standard
/// allows (clauses 2.7.2 and 2.8.2); after an abort they continue at the transaction that failed.
class Client : public WorkloadClient {
 public:
  /// `faults` receives the findings of audits; it may be null.
  Client(const Database& database, InputGenerator inputs, ClientId id,
         ReadFaults* faults = nullptr);

  std::uint32_t next() override;
  Attempt execute(txn::Transaction& transaction) override;
  std::int64_t committed_change() const override { return committed_change_; }

  /// Screen of the last transaction; valid after an attempt that committed.
  const Screen& screen() const { return screen_; }

 private:
  using Transaction = txn::Transaction;
  using Handle = Transaction::Handle;
  using Intent = Transaction::Intent;

  // One line of a new order during its execution.
  struct LineInProgress {
    Handle stock;
    Handle item;
    Handle order_line;
    bool remote;  // its stock is on another node
  };

  // tpcc_client.cc
  Attempt finish(Transaction& transaction);
  static Attempt try_again(Transaction& transaction);
  static bool doomed(const Transaction& transaction);
  Handle read_home(Transaction& transaction, Table table, txn::Key key,
                   Intent intent = Intent::kRead) const {
    return transaction.want(table, id_.node, key, intent);
  }
  txn::KeyRange home_range(Table table, txn::Key first, txn::Key last) const {
    return {.table = table, .partition = id_.node, .first = first, .last = last};
  }
  bool find_customer(Transaction& transaction, const CustomerChoice& choice, Intent intent,
                     Handle& customer);

  // tpcc_new_order.cc
  Attempt new_order(Transaction& transaction);
  std::uint64_t draw_order(Transaction& transaction, txn::Key district);
  bool note_order(Transaction& transaction, std::uint64_t order);
  void create_order(Transaction& transaction, std::uint64_t order);
  enum class Lines : std::uint8_t { kPlaced, kUnknownItem, kDoomed };
  void ask_before_all(Transaction& transaction);
  Lines place_lines_together(Transaction& transaction, std::uint64_t order);
  Lines place_lines_one_by_one(Transaction& transaction, std::uint64_t order);
  Lines place_line(Transaction& transaction, std::uint64_t order, std::uint32_t line);
  void note_home(Transaction& transaction);
  void note_stocks(Transaction& transaction, bool remote);
  void note_stock(Transaction& transaction, std::uint32_t i);
  void note_item(Transaction& transaction, std::uint32_t i);
  void note_line(Transaction& transaction, std::uint64_t order, std::uint32_t i);
  bool create_line(Transaction& transaction, std::uint32_t i);
  void update_stock(Transaction& transaction, std::uint32_t i);
  std::int64_t total_amount(std::uint32_t tax, std::uint32_t discount) const;

  // tpcc_payment.cc
  Attempt payment(Transaction& transaction);
  void pay(Customer& customer);
  void pass_dates();
  void create_history(History& history, const Warehouse& warehouse, const District& district) const;

  // tpcc_delivery.cc
  Attempt delivery(Transaction& transaction);
  Attempt deliver(Transaction& transaction, txn::Key district);

  // tpcc_queries.cc
  Attempt order_status(Transaction& transaction);
  bool find_last_order(Transaction& transaction, txn::Key district, std::uint64_t& number);
  Attempt stock_level(Transaction& transaction);
  bool find_recent_lines(Transaction& transaction);
  Attempt read_recent_lines(Transaction& transaction);
  Attempt read_stocks(Transaction& transaction);

  // audit.cc
  Attempt audit(Transaction& transaction);

  const Database& database_;
  InputGenerator inputs_;
  ClientId id_;
  ReadFaults* faults_;

  // The chosen transaction.
  Kind kind_ = Kind::kNewOrder;
  NewOrderInput new_order_;
  PaymentInput payment_;
  CustomerChoice order_status_;
  DeliveryInput delivery_;
  StockLevelInput stock_level_;
  std::uint32_t audited_warehouse_ = 0;
  std::uint32_t date_ = 1;    // counts this client's transactions
  std::uint32_t passed_ = 1;  // dates to skip when one turns out to be used

  // Its execution.
  std::array<LineInProgress, kMostLines> lines_{};
  Handle warehouse_ = 0;
  Handle buyer_ = 0;
  Handle order_ = 0;
  Handle new_order_entry_ = 0;
  Handle order_by_customer_ = 0;
  std::int64_t amount_ = 0;      // sum over the order's lines
  std::uint32_t customer_ = 0;   // in the district, as find_customer found it
  std::vector<txn::Key> keys_;   // of a scan
  std::vector<Handle> handles_;  // of scanned records
  txn::Key next_line_ = 0;       // of recent orders
  txn::Key last_line_ = 0;
  std::vector<std::uint32_t> items_;  // of recent orders
  std::uint32_t step_ = 0;            // of a delivery: districts done; of a stock level: see there
  std::size_t done_ = 0;              // items whose stocks a stock level has read
  Screen screen_;
  std::int64_t change_ = 0;  // change of Workload::amount by the running attempt
  std::int64_t committed_change_ = 0;
};

}  // namespace verbena::workloads::tpcc
