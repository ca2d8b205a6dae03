// What a scenario is: steps, and how a reply is compared with them. scenario.py is its twin; player.mjs carries steps out.
//
// A step that calls is {tool, arguments, expect}; expect has one key:
//   result          the JSON body of a successful call
//   tool_error      the JSON body of a result flagged as error
//   rpc_error       {code, message, data} of a JSON-RPC error
//   input_required  {inputRequests, requestState} of a result that asks for another call, if the step says by_hand
// It may say more:
//   human      how the client's user answers when asked: {action, content}, or a list of such if they must be asked more than
//              once. Without it nobody may be asked.
//   meanwhile  steps that are done before the user answers for the first time
//   asked      what the user must have been shown: a pattern, or a list of them
//   by_hand    {inputResponses, requestState} to send along; the client then leaves answering to the scenario
// Other steps:
//   {approve: arguments, prints}      `quillgate approve`, and a pattern for what it prints
//   {file, holds, waits}              a pattern for the text of a file of the vault, {"$absent": true} if there is to be none
//   {write, content}                  changes a file as another program would
//   {subscribe: uris}, {unsubscribe: uris}, {updated: uris}  the last waits for word of all of these, and none of others
// Every step may also say:
//   keep       {name: regex}: the group of the regex in the answer's text becomes {name} in later steps
//   with       {name: value} for this step alone
//   only       the era in which the step is done
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

/** Puts values in the place of their {names}; a text that is nothing but a name becomes the value itself. */
export function fill(template, values) {
  if (typeof template === 'string') {
    const whole = /^\{(\w+)\}$/.exec(template)?.[1];
    if (whole in values) return fill(values[whole], values);
    return template.replace(/\{(\w+)\}/g, (name, inner) => (typeof values[inner] === 'string' ? values[inner] : name));
  }
  if (Array.isArray(template)) return template.map(item => fill(item, values));
  if (template === null || typeof template !== 'object') return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, values)]));
}

/** A call's result, or the error it threw, in the words of a step: {result|tool_error|rpc_error|input_required: body, complaint?}. */
export function outcomeOf(reply, surface) {
  if (reply.thrown) {
    const { code, message, data } = reply.thrown;
    if (typeof code !== 'number') throw reply.thrown; // the client's own complaint, not the server's answer
    return { rpc_error: { code, message, data } };
  }
  const { resultType, inputRequests, requestState, content, structuredContent, isError } = reply.result;
  if (resultType === 'input_required') return { input_required: { inputRequests, requestState } };
  const body = JSON.parse(content.find(block => block.type === 'text').text);
  const differs = structuredContent !== undefined && !isDeepStrictEqual(structuredContent, body);
  // The cli surface speaks text only, and an error need not fit the output schema; every other success carries both.
  const missing = surface !== 'cli' && !isError && structuredContent === undefined;
  const complaint = differs ? 'the text block is not the structured content' : missing ? 'no structured content' : undefined;
  return { [isError ? 'tool_error' : 'result']: body, complaint };
}

/** Every listed tool must be called by the scenario, and every tool called must be listed (but for the unknown one). */
export function uncovered(steps, listed) {
  const called = new Set(steps.map(step => step.tool).filter(tool => tool && tool !== 'no_such_tool'));
  const missing = listed.filter(name => !called.has(name)).map(name => `the scenario does not call ${name}`);
  const unlisted = [...called].filter(name => !listed.includes(name)).map(name => `tools/list lacks ${name}`);
  return [...missing, ...unlisted];
}
