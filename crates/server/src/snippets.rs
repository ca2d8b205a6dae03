//! Settings to paste into clients.

use std::path::Path;

use serde_json::json;

/// How to connect the usual clients to a server at `endpoint`, or to start `program` on `vault` themselves. Both must use the
/// same data directory, so that they share their locks.
pub(crate) fn for_clients(endpoint: &str, program: &Path, vault: &Path, data: &Path) -> String {
    let arguments = json!(["stdio", "--vault-path", vault, "--data-dir", data]);
    let stdio = json!({"mcpServers": {"quillgate": {"command": program, "args": arguments}}});
    let cursor = json!({"mcpServers": {"quillgate": {"url": endpoint}}});
    let vs_code = json!({"servers": {"quillgate": {"type": "http", "url": endpoint}}});
    format!(
        "Claude Code\n\n    claude mcp add --transport http quillgate {endpoint}\n\n\
         Claude Desktop (claude_desktop_config.json; it starts the program itself)\n\n{}\n\n\
         Cursor (~/.cursor/mcp.json)\n\n{}\n\n\
         VS Code (.vscode/mcp.json)\n\n{}\n",
        indented(&stdio),
        indented(&cursor),
        indented(&vs_code)
    )
}

fn indented(value: &serde_json::Value) -> String {
    let pretty = serde_json::to_string_pretty(value).unwrap_or_default();
    pretty.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
