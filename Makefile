# The commands of README and CI. GNU make 3.81 and bash 3.2 will do, so macOS as it comes will, too.

SHELL := /bin/bash

.PHONY: run test bench fmt lint doc ci redis

# The whole system on this machine. It stops with Ctrl-C.
run: redis
	@cargo run --quiet --locked --profile local --package holdfast-local

test: redis
	cargo test --locked --workspace

bench: redis
	cargo bench --locked --package holdfast-tests --profile local

fmt:
	cargo fmt --all --check

lint:
	cargo clippy --locked --workspace --all-targets -- -D warnings

doc:
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps

ci:
	.ci/run

# A Redis or Valkey server on the PATH, unless REDIS_URL names one that runs already.
redis:
	@scripts/install-redis
