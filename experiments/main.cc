// The program's entry point.
#include "experiments/cli/program.h"

int main(int argc, char** argv) {
  return verbena::experiments::run_process({argv + (argc > 0 ? 1 : 0), argv + argc});
}
