# The commands of README and CI. GNU make 3.81 and bash 3.2 will do, so macOS as it comes will, too.

SHELL := /bin/bash

.PHONY: run reconcile test test-cluster test-valkey e2e contract bench fmt lint doc deps validate build-sam sam-local ci

# The whole system on this machine. It stops with Ctrl-C.
run:
	@scripts/install-redis
	@cargo run --locked --profile local --package holdfast-local

# What the schedule does, now, on the system that `make run` started: make reconcile SHOW=42 DRY_RUN=1 PORT=3001
reconcile:
	@cargo run --locked --quiet --profile local --package holdfast-local -- reconcile \
		$(if $(SHOW),--show '$(SHOW)') $(if $(filter-out 0 false,$(DRY_RUN)),--dry-run) \
		$(if $(filter 1 true,$(FORGET)),--forget) \
		--url http://127.0.0.1:$(or $(PORT),3000)

# Tests and bench start servers of their own, whatever REDIS_URL says.
test:
	@REDIS_URL= scripts/install-redis
	cargo test --locked --workspace --tests

# What `make test` asks of one server, asked of a cluster with TLS, through failovers and moving slots.
test-cluster:
	@REDIS_URL= scripts/install-redis
	cargo test --locked --package holdfast-tests --test cluster

# The scripts, the connections and the races on Valkey.
test-valkey:
	@REDIS_URL= scripts/test-valkey

# The built functions under Lambda's Runtime API, as the tests have it and as AWS' emulator does.
e2e:
	@REDIS_URL= scripts/install-redis
	@REDIS_URL= scripts/e2e

# openapi.yaml, the clients that are generated from it, and the system, against each other.
contract:
	@REDIS_URL= scripts/contract

# All parts, or some: make bench PARTS="a d"
bench:
	@REDIS_URL= scripts/install-redis
	@scripts/bench $(PARTS)

fmt:
	cargo fmt --all --check

# The tests that `make test` leaves out are no target that clippy takes by itself.
lint:
	cargo clippy --locked --workspace --all-targets -- -D warnings
	cargo clippy --locked --package holdfast-tests --test cluster --test e2e --test zz_policies -- -D warnings

doc:
	RUSTDOCFLAGS='-D warnings' cargo doc --locked --workspace --no-deps

# Licences, sources and duplicates of all dependencies, and none that is not used.
deps:
	@scripts/deps

# What can judge template.yaml without AWS: SAM, cfn-lint, checkov.
validate:
	@scripts/validate

# What `sam deploy` takes, in .aws-sam/build.
build-sam:
	@scripts/build-sam

# What that built, in containers: an event and a whole sale by `sam local`. It needs a container engine.
sam-local:
	@scripts/sam-local

ci:
	.ci/run
