//! What this machine's Redis can do at best: the baseline of every ratio.

use std::process::Command;

/// `SET key value NX PX 300000` a second, as redis-benchmark measures it with so many clients.
pub fn set_nx_px(port: u16, clients: usize) -> f64 {
    let output = Command::new("redis-benchmark")
        .args(["-p", &port.to_string(), "-c", &clients.to_string(), "-n", "400000", "-r", "1000000", "--csv"])
        .args(["SET", "k:__rand_int__", "v", "NX", "PX", "300000"])
        .output()
        .expect("redis-benchmark, which comes with redis-tools");
    // "test","rps",...
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_default();
    let rate = line.rsplit("\",\"").nth(6).and_then(|field| field.trim_matches('"').parse().ok());
    rate.unwrap_or_else(|| panic!("redis-benchmark said {text}"))
}
