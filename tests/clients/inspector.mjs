// The Inspector's command line: strict tools/list, and one tools/call for each surface.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { report, serve, workspace } from './harness.mjs';
import { mismatch, outcomeOf } from './scenario.mjs';

const launcher = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json')).replace(/package\.json$/, 'clients/launcher/build/index.js');
const binary = process.argv[2];

const calls = {
  vault: { tool: 'vault_read', args: { path: 'Reference/Glossary.md', limit: 5 }, result: { total_lines: 14, showing: [1, 5] } },
  notes: { tool: 'note_read', args: { path: 'Nowhere.md' }, result: { content: '', exists: false } },
  cli: { tool: 'obsidian_get_property_count', args: { name: 'aliases' }, result: { success: true, data: { name: 'aliases' } } },
  essentials: { tool: 'vault_search', args: { query: 'went through the window' }, result: { total_matches: 1 } },
  engine: { tool: 'search_text', args: { query: 'went through the window' }, result: { total_count: 1 } },
};

async function inspect(target, env, era, ...request) {
  const environment = Object.entries(env).flatMap(([key, value]) => ['-e', `${key}=${value}`]);
  const options = [...(Array.isArray(target) ? environment : []), '--protocol-era', era, '--format', 'json', '-q', ...request];
  // The options of the server come after a double dash, or the Inspector would take them for its own.
  const line = Array.isArray(target) ? ['--cli', ...options, '--', ...target] : ['--cli', target, ...options];
  const { stdout } = await promisify(execFile)(process.execPath, [launcher, ...line], { env: { ...process.env, HOME: env.HOME } });
  return JSON.parse(stdout);
}

async function check(target, env, era, surface) {
  const failures = [];
  const attempt = (what, work) => work().catch(error => failures.push(`${what}: ${error.stderr || error.message}${error.stdout ?? ''}`));
  const { tool, args, result } = calls[surface];
  await attempt('tools/list --strict', async () => {
    const listed = await inspect(target, env, era, '--method', 'tools/list', '--strict');
    if (!JSON.stringify(listed).includes(`"${tool}"`)) failures.push(`tools/list lacks ${tool}`);
  });
  await attempt(`tools/call ${tool}`, async () => {
    const reply = await inspect(target, env, era, '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args));
    const outcome = outcomeOf({ result: reply.result ?? reply }, surface);
    const why = outcome.complaint ?? mismatch(result, outcome.result);
    if (why) failures.push(why);
  });
  return failures;
}

async function inspectSurface(era, transport, surface) {
  const place = workspace(binary, { surface });
  let server;
  try {
    server = transport === 'http' ? await serve(place) : undefined;
    return await check(server?.url ?? [place.command, ...place.args('stdio')], place.env, era, surface);
  } finally {
    await server?.stop();
    place.remove();
  }
}

for (const era of ['legacy', 'modern']) {
  for (const transport of ['stdio', 'http']) {
    for (const surface of Object.keys(calls)) {
      const failures = await inspectSurface(era, transport, surface).catch(error => [error.stack]);
      if (report(['inspector', era, transport, surface], 2, failures)) process.exitCode = 1;
    }
  }
}
