//! Redis as ElastiCache has it: a cluster of three masters with TLS, its failovers and moving slots, and logins by tokens that
//! end. Run by `make test-cluster`.

mod failover;
mod gauges;
mod house;
mod iam;
mod killed;
mod last_unit;
mod life;
mod load;
mod login;
mod migration;
mod minority;
mod ping_pong;
mod race;
mod scripts;
mod thaw;
mod tls;
