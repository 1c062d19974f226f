//! Calls a node with clients of others, and prints one line for each call: `ok NAME: ANSWER` or `failed NAME: ERROR`.
//!
//! `rust-clients CLIENT ENDPOINT FOLDER`: CLIENT is `talos-api-rs` or `talos-rust-client`, ENDPOINT `https://ADDRESS:PORT`,
//! FOLDER has `ca.crt`, `client.crt`, `client.key` and `talosconfig`.

use std::fmt::{Debug, Display};
use std::future::Future;
use std::time::Duration;

mod api_rs;
mod rust_client;

/// A call that takes longer has failed.
const LIMIT: Duration = Duration::from_secs(30);

/// Waits for a call and prints what came of it.
pub async fn report<Answer: Debug, Failure: Display>(
    name: &str,
    call: impl Future<Output = Result<Answer, Failure>>,
) {
    match tokio::time::timeout(LIMIT, call).await {
        Ok(Ok(answer)) => println!("ok {name}: {}", line(&format!("{answer:?}"))),
        Ok(Err(error)) => println!("failed {name}: {}", line(&error.to_string())),
        Err(_) => println!("failed {name}: no answer within {} s", LIMIT.as_secs()),
    }
}

/// What fits into one line.
fn line(text: &str) -> String {
    text.replace(['\n', '\r'], " ").chars().take(300).collect()
}

#[tokio::main]
async fn main() {
    // The two clients bring two libraries of cryptography: rustls wants to know which of them serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let words: Vec<String> = std::env::args().collect();
    match words.as_slice() {
        [_, client, endpoint, folder] if client == "talos-api-rs" => {
            api_rs::run(endpoint, folder).await
        }
        [_, client, endpoint, folder] if client == "talos-rust-client" => {
            rust_client::run(endpoint, folder).await
        }
        _ => {
            eprintln!("usage: rust-clients talos-api-rs|talos-rust-client ENDPOINT FOLDER");
            std::process::exit(2);
        }
    }
}
