# Godwit's commands. The build itself is CMake's (CMakePresets.json); this file strings the steps together.

# The packages below are the system's: so is the interpreter that sees them.
PYTHON := /usr/bin/python3
GODWIT := build/release/godwit

DEPS := g++ cmake ninja-build libfmt-dev libpcre2-dev libutf8proc-dev libssl-dev libboost1.81-dev libcurl4-openssl-dev \
        libzstd-dev zlib1g-dev libedit-dev nlohmann-json3-dev libgtest-dev python3 python3-pip
# llvm-19: llvm-symbolizer, for names and lines in the sanitizers' stack traces.
DEPS_TEST := clang-19 clang-format-19 libclang-rt-19-dev llvm-19 libsimde-dev python3-numpy curl openssl

PROMPT ?= Explain in three sentences why some birds fly thousands of miles every year.
export PROMPT  # read by the shell as a variable, so that nothing in it is a command
FUZZ_SECONDS ?= 600

# Where `make install` puts things; DESTDIR goes before it (packages). The list of files is for `make uninstall`.
PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(abspath $(PREFIX))/share/godwit/installed

.DEFAULT_GOAL := help
.PHONY: help deps deps-test build install uninstall demo test check-long bench format tidy

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

deps: ## install the packages that the build needs (Debian 12; root only if some are missing)
	@tools/deps $(DEPS)

deps-test: deps ## install what the tests need beyond that
	@tools/deps $(DEPS_TEST)

build: deps ## build the program, build/release/godwit, and the library that `cmake --install` installs
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build --preset release --target godwit libgodwit

install: build ## install the program and the library (PREFIX=/usr/local, DESTDIR=)
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(abspath $(PREFIX))"
	@install -D -m 644 build/release/install_manifest.txt "$(INSTALLED)" && echo >> "$(INSTALLED)"

uninstall: ## remove what `make install` with the same PREFIX and DESTDIR has installed
	@[ -f "$(INSTALLED)" ] || { echo "uninstall: nothing is installed at $(DESTDIR)$(PREFIX) (PREFIX= names another place)" >&2; exit 1; }
	@while read -r file; do [ -z "$$file" ] || rm -fv "$(DESTDIR)$$file"; done < "$(INSTALLED)"
	@rm -f "$(INSTALLED)"
	@cd "$(DESTDIR)$(abspath $(PREFIX))" && rmdir share/godwit include/godwit lib/cmake/godwit

demo: build ## fetch the default model and answer a prompt (PROMPT="...")
	@model=$$($(PYTHON) tools/fetch smollm2) && echo "> $$PROMPT" && $(GODWIT) run "$$model" --prompt="$$PROMPT" -n 160 --temperature 0 < /dev/null

test: deps-test ## everything that CI runs: release, sanitizers, fuzz targets, tidy
	@$(PYTHON) tools/run_tests

check-long: deps-test ## before an issue is closed: long tests, the other models, fuzzing (FUZZ_SECONDS=600 each)
	@$(PYTHON) tools/run_tests --long --fuzz-seconds $(FUZZ_SECONDS)

bench: build ## tokens per second of the default model
	@model=$$($(PYTHON) tools/fetch smollm2) && $(GODWIT) bench "$$model"

format: ## lay out the C++ code (clang-format 19)
	@tools/deps clang-format-19
	@git ls-files -co --exclude-standard '*.cpp' '*.hpp' '*.h' | xargs -r clang-format-19 -i

tidy: ## check include directions, sizes and texts (also a test)
	@$(PYTHON) tools/tidy
