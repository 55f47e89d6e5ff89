// A program that runs SmallBank on partition locks, or without them, and writes what it did:
//
//     history_of_locks on|off SEED HISTORY
//
// The history's form follows from its name. The report, with what the check of histories found,
// goes to standard output as JSON.
#include <fstream>
#include <iostream>
#include <string>

#include "experiments/report/files/history_file.h"
#include "experiments/report/json_report.h"
#include "experiments/report/result/report.h"
#include "experiments/report/run_report.h"
#include "tests/examples/own_system/locked_run.h"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  using namespace verbena;  // NOLINT(google-build-using-namespace)
  const bool locks = std::string(argv[1]) == "on";
  const auto result =
      testing::run_locked({.workload = "smallbank",
                           .seed = std::stoull(argv[2]),
                           .chaos = true,
                           .system = {.memory_nodes = 2, .memory_workers = 1, .locks = locks}});
  const std::string path = argv[3];
  std::ofstream(path) << experiments::history_text(result.history, result.tables,
                                                   experiments::history_form(path));
  experiments::Report report;
  report.verdict = experiments::verdict_of(result);
  std::cout << experiments::json_document(report);
  return 0;
}
