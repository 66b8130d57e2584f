#include "cli/cli.hpp"

int main(int argc, char** argv) { return godwit::run_cli(argc, argv); }
