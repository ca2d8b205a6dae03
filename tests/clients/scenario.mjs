// What a scenario is: steps, how a reply is compared with them, and the report. scenario.py is its twin.
//
// A step is {tool, arguments, expect}; expect has one key:
//   result      the JSON body of a successful call
//   tool_error  the JSON body of a result flagged as error
//   rpc_error   {code, message, data} of a JSON-RPC error
// A pattern matches as a subset: objects may have more keys, arrays must agree item by item, and an object whose
// keys start with $ is a list of conditions:
//   $regex s · $absent true · $length n · $atLeast n · $contains pattern · $lacks pattern

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

const conditions = {
  $regex: (want, got) => got !== undefined && new RegExp(want, 'su').test(typeof got === 'string' ? got : JSON.stringify(got)),
  $absent: (want, got) => (got === undefined) === want,
  $length: (want, got) => got?.length === want,
  $atLeast: (want, got) => got >= want,
  $contains: (want, got) => (typeof got === 'string' ? got.includes(want) : Array.isArray(got) && got.some(item => !mismatch(want, item))),
  $lacks: (want, got) => got !== undefined && !conditions.$contains(want, got),
};

/** The first difference between a pattern and a value, as a sentence; undefined when they agree. */
export function mismatch(want, got, at = 'body') {
  const differs = () => `${at}: expected ${JSON.stringify(want)}, got ${JSON.stringify(got)?.slice(0, 600)}`;
  if (want === null || typeof want !== 'object') return Object.is(want, got) ? undefined : differs();
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return differs();
    return first(want.keys(), index => mismatch(want[index], got[index], `${at}[${index}]`));
  }
  const keys = Object.keys(want);
  if (keys.length > 0 && keys.every(key => key.startsWith('$'))) {
    return first(keys, key => (conditions[key](want[key], got) ? undefined : differs()));
  }
  if (got === null || typeof got !== 'object' || Array.isArray(got)) return differs();
  return first(keys, key => mismatch(want[key], got[key], `${at}.${key}`));
}

function first(items, check) {
  for (const item of items) {
    const found = check(item);
    if (found) return found;
  }
}

export const loadSteps = scenario => JSON.parse(readFileSync(new URL(`scenarios/${scenario}.json`, import.meta.url)));

/** A call's result, or the error it threw, in the words of a step: {result|tool_error|rpc_error: body, complaint?}. */
export function outcomeOf(reply, surface) {
  if (reply.thrown) {
    const { code, message, data } = reply.thrown;
    if (typeof code !== 'number') throw reply.thrown; // the client's own complaint, not the server's answer
    return { rpc_error: { code, message, data } };
  }
  const { content, structuredContent, isError } = reply.result;
  const body = JSON.parse(content.find(block => block.type === 'text').text);
  const differs = structuredContent !== undefined && !isDeepStrictEqual(structuredContent, body);
  // The cli surface speaks text only, and an error need not fit the output schema; every other success carries both.
  const missing = surface !== 'cli' && !isError && structuredContent === undefined;
  const complaint = differs ? 'the text block is not the structured content' : missing ? 'no structured content' : undefined;
  return { [isError ? 'tool_error' : 'result']: body, complaint };
}

/** Runs the steps of one surface through a client and returns the failures as sentences. */
export async function play(steps, surface, client) {
  const failures = [];
  for (const [index, { tool, arguments: args = {}, expect }] of steps.entries()) {
    const fail = why => failures.push(`step ${index + 1} ${tool} ${JSON.stringify(args)}\n      ${why}`);
    const [kind] = Object.keys(expect);
    try {
      const reply = await client.call(tool, args).then(result => ({ result }), thrown => ({ thrown }));
      const outcome = outcomeOf(reply, surface);
      const why = outcome.complaint ?? (kind in outcome ? mismatch(expect[kind], outcome[kind]) : `expected a ${kind}, got ${JSON.stringify(outcome).slice(0, 600)}`);
      if (why) fail(why);
    } catch (error) {
      fail(`${error.name}: ${error.message}`);
    }
  }
  return failures;
}

/** Every listed tool must be called by the scenario, and every tool called must be listed (but for the unknown one). */
export function uncovered(steps, listed) {
  const called = new Set(steps.filter(step => step.tool !== 'no_such_tool').map(step => step.tool));
  const missing = listed.filter(name => !called.has(name)).map(name => `the scenario does not call ${name}`);
  const unlisted = [...called].filter(name => !listed.includes(name)).map(name => `tools/list lacks ${name}`);
  return [...missing, ...unlisted];
}
