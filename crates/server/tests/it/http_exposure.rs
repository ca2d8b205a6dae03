//! Who can reach the server: nothing but this machine, unless the operator says so.

use std::net::{SocketAddr, TcpListener, UdpSocket};

use serde_json::json;

use crate::http_client::{Connection, HttpServer};
use crate::login::{ANNA, BERT};
use crate::place::{Place, finish};

fn serve(place: &Place, arguments: &[&str]) -> std::process::Command {
    let vault = place.vault();
    let mut all = vec!["serve", "--vault-path", vault.to_str().expect("UTF-8")];
    all.extend(arguments);
    place.program(&all)
}

#[test]
fn without_a_login_the_server_refuses_to_be_reached_from_elsewhere() {
    let place = Place::new();
    for arguments in [
        ["--listen-addr", "0.0.0.0:0"].as_slice(),
        &["--listen-addr", ":0"],
        &["--listen-addr", "[::]:0"],
        &["--listen-addr", "127.0.0.1:0", "--server-url", "https://vault.example.com"],
        &["--listen-addr", "127.0.0.1:0", "--server-url", "http://localhost.example.com/"],
    ] {
        let (status, output, complaint) = finish(serve(&place, arguments));
        assert_eq!((status, output.as_str()), (1, ""), "{arguments:?}");
        assert!(complaint.contains("there is no login") && complaint.contains("--trusted-network"), "{complaint}");
    }
}

#[test]
fn the_environment_cannot_expose_the_server_either() {
    let place = Place::new();
    let mut command = serve(&place, &[]);
    command.env("LISTEN_ADDR", ":0");
    let (status, _, complaint) = finish(command);
    assert_eq!(status, 1);
    assert!(complaint.contains("--trusted-network"), "{complaint}");
}

#[test]
fn with_a_trusted_network_the_server_may_listen_everywhere() {
    let place = Place::new();
    let server = HttpServer::start(serve(&place, &["--listen-addr", ":0", "--trusted-network", "203.0.113.0/24"]));
    assert!(server.address.ip().is_unspecified());
    let mut connection = Connection::to(SocketAddr::from(([127, 0, 0, 1], server.address.port())));
    assert_eq!(connection.modern("/mcp", "tools/list", json!({})).status, 200);
}

/// Needs an address of this machine that is not loopback; where there is none, there is nothing outside to refuse.
#[test]
fn peers_outside_the_trusted_networks_are_refused() {
    let Some(own) = own_address() else { return };
    let place = Place::new();
    let server = HttpServer::start(serve(&place, &["--listen-addr", ":0", "--trusted-network", "203.0.113.0/24"]));
    let mut connection = Connection::to(SocketAddr::new(own, server.address.port()));
    assert_eq!(connection.modern("/mcp", "tools/list", json!({})).status, 403);
    assert_eq!(connection.get("/health").status, 403);
    let trusted = format!("{own}/32");
    let server = HttpServer::start(serve(&place, &["--listen-addr", ":0", "--trusted-network", &trusted]));
    let mut connection = Connection::to(SocketAddr::new(own, server.address.port()));
    assert_eq!(connection.modern("/mcp", "tools/list", json!({})).status, 200);
}

/// The address that packets to the outside would leave from; connecting a datagram socket sends nothing.
fn own_address() -> Option<std::net::IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("203.0.113.1:9").ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|address| !address.is_loopback() && !address.is_unspecified())
}

#[test]
fn users_whose_passwords_could_not_be_checked_are_refused() {
    let place = Place::new();
    for users in ["anna:$2b$12$abcdefghijklmnopqrstuv", "anna:hash", "anna:", "anna", &format!("{}:{}", ANNA.name, ANNA.password)]
    {
        let mut command = serve(&place, &["--listen-addr", "127.0.0.1:0"]);
        command.env("AUTH_USERS", users);
        let (status, output, complaint) = finish(command);
        assert_eq!((status, output.as_str()), (1, ""), "{users}");
        assert!(complaint.contains("hash-password"), "{users}: {complaint}");
        assert!(!complaint.contains("$2b$") && !complaint.contains(ANNA.password), "{complaint}");
        let (status, _, complaint) = finish(serve(&place, &["--listen-addr", "127.0.0.1:0", "--auth-users", users]));
        assert_eq!(status, 1, "{complaint}");
    }
}

#[test]
fn with_users_the_server_may_be_reached_and_asks_for_a_login() {
    let place = Place::new();
    let users = format!("{}:{},{}:{}", ANNA.name, ANNA.hash, BERT.name, BERT.hash);
    let mut command = serve(&place, &["--listen-addr", ":0", "--server-url", "https://vault.example.com"]);
    command.env("AUTH_USERS", &users);
    let server = HttpServer::start(command);
    let mut connection = Connection::to(SocketAddr::from(([127, 0, 0, 1], server.address.port())));
    assert_eq!(connection.modern("/mcp", "tools/list", json!({})).status, 401);
    assert_eq!(connection.get("/health").status, 200);
    // Everywhere, but under no name: then nobody could say to whom a token belongs.
    let (status, _, complaint) = finish(serve(&place, &["--listen-addr", ":0", "--auth-users", &users]));
    assert_eq!(status, 1);
    assert!(complaint.contains("--server-url https://"), "{complaint}");
}

#[test]
fn a_network_that_is_none_is_named() {
    let place = Place::new();
    let (status, _, complaint) = finish(serve(&place, &["--trusted-network", "home"]));
    assert_eq!(status, 1);
    assert!(complaint.contains("\"home\" is not a network"), "{complaint}");
}

#[test]
fn the_environment_sets_address_and_vault_and_flags_win() {
    let place = Place::with(&[("a.md", "A")]);
    let mut command = place.program(&["serve"]);
    command.env("VAULT_PATH", place.vault()).env("LISTEN_ADDR", "127.0.0.1:0");
    let server = HttpServer::start(command);
    let read = server.connect().modern("/mcp", "tools/call", json!({"name": "vault_read", "arguments": {"path": "a.md"}}));
    assert_eq!(read.message()["result"]["structuredContent"]["content"], "A");

    let mut command = serve(&place, &["--listen-addr", "127.0.0.1:0"]);
    command.env("VAULT_PATH", place.path("no such vault")).env("LISTEN_ADDR", ":0").env("PORT", "1");
    let server = HttpServer::start(command);
    assert_eq!(server.connect().get("/health").status, 200);
}

#[test]
fn the_port_alone_can_be_set_and_empty_variables_count_as_unset() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let place = Place::new();
    let mut command = serve(&place, &["--surface", "notes"]);
    command.env("PORT", port.to_string());
    for name in ["LISTEN_ADDR", "SERVER_URL", "AUTH_USERS", "LOG_LEVEL", "QUILLGATE_CONFIG"] {
        command.env(name, "");
    }
    assert_eq!(HttpServer::start(command).address, SocketAddr::from(([127, 0, 0, 1], port)));
}

#[test]
fn a_surface_given_twice_is_refused() {
    let place = Place::new();
    let (status, _, complaint) = finish(serve(&place, &["--surface", "vault", "--surface", "vault"]));
    assert_eq!(status, 1);
    assert!(complaint.contains("given twice"), "{complaint}");
}

#[test]
fn a_port_that_is_taken_is_said() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("bound").to_string();
    let (status, output, complaint) = finish(serve(&place, &["--listen-addr", &address]));
    assert_eq!((status, output.as_str()), (1, ""));
    assert!(complaint.contains(&format!("cannot listen on {address}")), "{complaint}");
}
