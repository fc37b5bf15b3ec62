# The commands of README and CI. GNU make 3.81 and bash 3.2 will do, so macOS as it comes will, too.

SHELL := /bin/bash

.PHONY: run test bench fmt lint doc ci

# The whole system on this machine. It stops with Ctrl-C.
run:
	@scripts/install-redis
	@cargo run --locked --profile local --package holdfast-local

# Tests and bench start servers of their own, whatever REDIS_URL says.
test:
	@REDIS_URL= scripts/install-redis
	cargo test --locked --workspace --tests

# All parts, or some: make bench PARTS="a d"
bench:
	@REDIS_URL= scripts/install-redis
	cargo bench --locked --package holdfast-tests --profile fast -- $(PARTS)

fmt:
	cargo fmt --all --check

lint:
	cargo clippy --locked --workspace --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps

ci:
	.ci/run
