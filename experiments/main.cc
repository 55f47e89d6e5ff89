// The program's entry point: reads the command line and runs the command it names.

#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app{"RDMA distributed transactions, on libibverbs or on a simulated fabric.", "verbena"};
  CLI11_PARSE(app, argc, argv);
  return 0;
}
