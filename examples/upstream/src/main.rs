//! Runs the example site until it is told to stop.

use std::io::Write;
use std::net::SocketAddr;

use anyhow::{Context, ensure};
use clap::Parser;
use quillgate_example_upstream::{PASSWORD, USERNAME, Upstream};
use tokio::net::TcpListener;

/// Serve a small newspaper site with login and article search, to try upstream login and the articles surface with.
#[derive(Parser)]
struct CommandLine {
    /// Address and port, on this machine only
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8099")]
    listen: SocketAddr,
    /// Origin that a login may return to, such as https://mcp.example.org; this machine is always allowed
    #[arg(long = "return-origin", value_name = "ORIGIN")]
    return_origins: Vec<String>,
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let command_line = CommandLine::parse();
    // Anybody who reaches it can make it fail and read what it was asked.
    ensure!(command_line.listen.ip().is_loopback(), "this site is for this machine only; listen on 127.0.0.1");
    let listener =
        TcpListener::bind(command_line.listen).await.with_context(|| format!("cannot listen on {}", command_line.listen))?;
    let upstream = Upstream::start(listener)?.returning_to(command_line.return_origins);
    writeln!(
        std::io::stdout(),
        "the Strandvik Courier is at {0}\n  login    {0}/login  (user {USERNAME}, password {PASSWORD})\n  account  {0}/account\n  search   {1}/articles/search",
        upstream.url(),
        upstream.articles_url()
    )?;
    tokio::signal::ctrl_c().await?;
    Ok(())
}
