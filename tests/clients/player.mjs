// Carries the steps of a scenario out, through one client with a person in front of it. player.py is its twin.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { fill, mismatch, outcomeOf } from './scenario.mjs';

const PATIENCE_MS = 20_000;

/** The client's user: remembers what they were shown, and answers as the step says. */
export function person() {
  const shown = [];
  const human = { shown, reply: undefined };
  human.answer = async question => {
    shown.push(question);
    return (await human.reply?.()) ?? { action: 'cancel' };
  };
  return human;
}

/**
 * Plays the steps and returns the failures as sentences. A run is {client, human, updates, place, surface, era, values}:
 * `updates` are the URIs that the client was told of, `values` what steps keep for later ones.
 */
export async function play(steps, run) {
  const failures = [];
  for (const [index, template] of steps.entries()) {
    if (template.only && template.only !== run.era) continue;
    const { meanwhile, ...now } = template; // steps within a step are filled in when their turn comes
    const step = { ...fill(now, { ...run.values, ...now.with }), meanwhile };
    const [kind, carryOut] = Object.entries(kinds).find(([kind]) => kind in step);
    const why = await carryOut(step, run).catch(error => `${error.name}: ${error.message}`);
    if (why) failures.push(`step ${index + 1} ${kind} ${JSON.stringify(step[kind])} ${JSON.stringify(step.arguments ?? {})}\n      ${why}`);
  }
  return failures;
}

const kinds = { tool: call, approve, file: look, write, subscribe, unsubscribe, updated };

async function call(step, run) {
  const { tool, arguments: args = {}, expect, by_hand: byHand } = step;
  const { human, client } = run;
  const problems = [];
  human.shown.length = 0;
  const answers = [step.human ?? []].flat();
  human.reply = async () => {
    if (human.shown.length === 1) problems.push(...(await play(step.meanwhile ?? [], run)));
    return answers[human.shown.length - 1];
  };
  const calling = byHand ? client.callByHand(tool, args, byHand) : client.call(tool, args);
  const reply = await calling.then(result => ({ result }), thrown => ({ thrown }));
  human.reply = undefined;
  const outcome = outcomeOf(reply, run.surface);
  const [kind] = Object.keys(expect);
  if (outcome.complaint ?? problems.length) return outcome.complaint ?? problems.join();
  if (!(kind in outcome)) return `expected a ${kind}, got ${JSON.stringify(outcome).slice(0, 600)}`;
  return mismatch(expect[kind], outcome[kind]) ?? wronglyAsked(step, answers.length, human.shown) ?? keep(step, JSON.stringify(outcome[kind]), run);
}

function wronglyAsked(step, wanted, shown) {
  if (shown.length !== wanted) return `the user was asked ${shown.length} times, not ${wanted}: ${JSON.stringify(shown).slice(0, 600)}`;
  return step.asked && mismatch([step.asked].flat(), shown, 'asked');
}

function keep(step, text, run) {
  for (const [name, pattern] of Object.entries(step.keep ?? {})) {
    const found = new RegExp(pattern, 'msu').exec(text);
    if (!found) return `nothing to keep as ${name}: ${pattern} is not in ${text.slice(0, 600)}`;
    run.values[name] = found[1];
  }
}

async function approve(step, run) {
  const { command, env, flags } = run.place;
  const { stdout } = await promisify(execFile)(command, ['approve', ...step.approve, ...flags], { env });
  return mismatch(step.prints, stdout, 'printed') ?? keep(step, stdout, run);
}

async function look(step, run) {
  const path = join(run.place.vault, step.file);
  const text = () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  if (step.waits) await eventually(() => !mismatch(step.holds, text(), step.file));
  return mismatch(step.holds, text(), step.file);
}

async function write(step, run) {
  writeFileSync(join(run.place.vault, step.write), step.content);
}

async function subscribe(step, run) {
  await run.client.subscribe(step.subscribe);
}

async function unsubscribe(step, run) {
  await run.client.unsubscribe(step.unsubscribe);
}

async function updated(step, run) {
  await eventually(() => step.updated.every(uri => run.updates.includes(uri)));
  const told = [...new Set(run.updates.splice(0))].sort();
  return mismatch([...step.updated].sort(), told, 'updated');
}

async function eventually(holds) {
  const deadline = Date.now() + PATIENCE_MS;
  while (!holds() && Date.now() < deadline) await pause(20);
}
