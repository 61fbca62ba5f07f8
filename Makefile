# Thin front door; CMake and its presets do the work (CMakeLists.txt, CMakePresets.json).
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
TABLE ?= --list
BUDGET ?= desk
BOOTSTRAP = scripts/bootstrap

.PHONY: help demo test asan tsan mpi fuzz mutants bench coverage reproduce models install format lint clean

help:
	@echo "make demo      install what is missing, build, show the main job"
	@echo "make test      install what is missing, build, run all tests"
	@echo "make asan      tests under address and undefined-behaviour sanitizers"
	@echo "make tsan      tests under the thread sanitizer"
	@echo "make mpi       the build for several processes, and its tests (docs/cluster.md)"
	@echo "make fuzz      each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "make mutants   small changes of the source that the tests must notice (MUTANTS=REGEX)"
	@echo "make bench     speed figures"
	@echo "make coverage  test coverage per file"
	@echo "make reproduce TABLE=lambda BUDGET=desk   a table of the paper (docs/reproduce.md)"
	@echo "make models    train the models of models/recipes.toml (hours; MODELS=NAME for one)"
	@echo "make install   release build into PREFIX=$(PREFIX)"
	@echo "make format    clang-format all sources"
	@echo "make lint      format, clang-tidy, shellcheck, codespell"
	@echo "make clean     remove build/"

demo:
	@$(BOOTSTRAP) build
	@scripts/build release ucpo_program
	@scripts/demo build/release/ucpo

test:
	@$(BOOTSTRAP) test
	@scripts/build dev
	@scripts/run-tests dev

asan tsan:
	@$(BOOTSTRAP) test
	@scripts/build $@
	@scripts/run-tests $@

mpi:
	@$(BOOTSTRAP) build mpi
	@scripts/build mpi ucpo_program make_model
	@scripts/run-tests mpi -L mpi

fuzz:
	@$(BOOTSTRAP) test
	@scripts/build fuzz fuzzers
	@scripts/fuzz $(FUZZ_SECONDS)

mutants:
	@$(BOOTSTRAP) test
	@scripts/mutants $(MUTANTS)

bench:
	@$(BOOTSTRAP) build
	@scripts/build release
	@scripts/bench

coverage:
	@$(BOOTSTRAP) test
	@scripts/build coverage
	@scripts/run-tests coverage
	@scripts/coverage

reproduce:
	@$(BOOTSTRAP) build
	@scripts/build release ucpo_program
	@scripts/reproduce $(TABLE) --budget $(BUDGET)

models:
	@$(BOOTSTRAP) build
	@scripts/build release ucpo_program
	@scripts/models $(MODELS)

install:
	@$(BOOTSTRAP) build
	@scripts/build release
	cmake --install build/release --prefix $(PREFIX)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

lint:
	@$(BOOTSTRAP) test
	@scripts/build dev
	@scripts/lint

clean:
	rm -rf build
