//! What operators see of a running program: metrics, logs, and that exporters never stand in its way.

use std::net::{SocketAddr, TcpListener};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::http_client::{Connection, HttpServer, SOON};
use crate::place::{Place, finish, wait_for_exit};
use crate::stdio_client::StdioClient;

/// An address at which nobody listens.
fn nowhere() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port")
}

fn with_metrics_at(place: &Place, address: SocketAddr) -> String {
    let prometheus = json!({"enabled": true, "host": address.ip(), "port": address.port()});
    place.config(&json!({"observability": {"prometheus": prometheus}}))
}

#[test]
fn metrics_are_served_beside_the_protocol() {
    let place = Place::with(&[("a.md", "A"), ("b.md", "B")]);
    let address = nowhere();
    let server = HttpServer::on(&place, &["--config", &with_metrics_at(&place, address)]);
    let answer = Connection::to(address).get("/metrics");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("text/plain; version=0.0.4; charset=utf-8")));
    for line in [
        "# TYPE quillgate_uptime_seconds gauge\n",
        "\nquillgate_index_notes{vault=\"vault\"} ",
        &format!("\nquillgate_build_info{{version=\"{}\"}} 1\n", env!("CARGO_PKG_VERSION")),
    ] {
        assert!(answer.body.contains(line), "{line:?}: {}", answer.body);
    }
    assert_eq!(server.connect().get("/metrics").status, 404, "not where everybody may ask");
    assert_eq!(Connection::to(address).get("/mcp").status, 404, "and no calls where no login is");
}

#[test]
fn a_port_that_is_taken_is_said_at_the_start() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let config = with_metrics_at(&place, taken.local_addr().expect("an address"));
    let vault = place.vault();
    let arguments =
        ["serve", "--vault-path", vault.to_str().expect("UTF-8"), "--listen-addr", "127.0.0.1:0", "--config", &config];
    let (status, _, errors) = finish(place.program(&arguments));
    assert_eq!(status, 1);
    assert!(errors.contains("observability.prometheus"), "{errors}");
}

#[test]
fn events_never_go_among_the_notes() {
    let place = Place::new();
    let folder = place.vault().join("events");
    let config = place.config(&json!({"observability": {"cloudEvents": {"enabled": true, "folder": folder}}}));
    let vault = place.vault();
    let arguments =
        ["serve", "--vault-path", vault.to_str().expect("UTF-8"), "--listen-addr", "127.0.0.1:0", "--config", &config];
    let (status, _, errors) = finish(place.program(&arguments));
    assert_eq!(status, 1);
    assert!(errors.contains("inside the vault") && !folder.exists(), "{errors}");
}

#[test]
fn logs_are_lines_of_json_if_so_configured() {
    let place = Place::with(&[("a.md", "A")]);
    let config = place.config(&json!({"observability": {"logs": {"format": "json"}}}));
    let mut client = StdioClient::legacy(&place, &["--surface", "engine", "--config", &config]);
    client.call("search_text", json!({"query": "A", "wrong": 1}));
    let log = client.leave().log;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let refused: Vec<&Value> = lines.iter().filter(|line| line["message"] == "refused").collect();
    let [refused] = refused[..] else { panic!("{log}") };
    assert_eq!(
        (&refused["level"], &refused["tool"], &refused["surface"]),
        (&json!("INFO"), &json!("search_text"), &json!("engine"))
    );
    assert!(refused["ms"].is_number() && refused["timestamp"].is_string(), "{refused}");
}

#[test]
fn a_dead_collector_does_not_hold_up_the_end() {
    let place = Place::with(&[("a.md", "A")]);
    let otel = json!({"endpoint": format!("http://{}", nowhere()), "metricsSeconds": 1});
    let config = place.config(&json!({"observability": {"otel": otel, "cloudEvents": {"enabled": true}}}));
    let mut server = HttpServer::on(&place, &["--surface", "engine", "--config", &config]);
    let answer = server.connect().modern("/mcp", "tools/call", json!({"name": "search_text", "arguments": {"query": "A"}}));
    assert!(answer.body.contains("a.md"), "{}", answer.body);
    let started = Instant::now();
    kill_process(Pid::from_child(&server.child), Signal::TERM).expect("ours");
    assert_eq!(wait_for_exit(&mut server.child).code(), Some(0));
    assert!(started.elapsed() < SOON * 2, "{:?}", started.elapsed());
}
