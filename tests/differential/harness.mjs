// What comparisons share: chance from a seed, questions to an example binary, and the report.
import { spawnSync } from 'node:child_process'
import path from 'node:path'

/** Random numbers that are the same on every run. */
export class Chance {
  constructor(seed) {
    this.state = seed >>> 0
  }

  /** From 0 to just below 1. */
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0
    let mixed = this.state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }

  /** A whole number from least to most. */
  whole(least, most) {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  oneOf(list) {
    return list[this.whole(0, list.length - 1)]
  }
}

/** The answers of an example binary of crates/query: one JSON value a line for every question. */
export function ask(example, questions) {
  const binary = path.join(process.env.QUILLGATE_EXAMPLES, example)
  const input = questions.map((question) => JSON.stringify(question) + '\n').join('')
  const child = spawnSync(binary, { input, encoding: 'utf8', maxBuffer: 2 ** 30, stdio: ['pipe', 'pipe', 'inherit'] })
  if (child.status !== 0) throw new Error(`${example} ended with ${child.status ?? child.signal ?? child.error}`)
  const answers = child.stdout.split('\n').slice(0, -1).map((line) => JSON.parse(line))
  if (answers.length !== questions.length) throw new Error(`${answers.length} answers to ${questions.length} questions`)
  return answers
}

/**
 * Asks, compares with what the library says, prints, and sets the exit code.
 * cases: { question, expected }; deliberate: { reason, is(question, expected, answer) }, differences that are meant.
 */
export function compare(name, example, cases, deliberate = []) {
  const answers = ask(example, cases.map((one) => one.question))
  const counts = deliberate.map(() => 0)
  let failed = 0
  cases.forEach(({ question, expected }, place) => {
    const answer = answers[place]
    if (JSON.stringify(answer) === JSON.stringify(expected)) return
    const meant = deliberate.findIndex((difference) => difference.is(question, expected, answer))
    if (meant >= 0) {
      counts[meant] += 1
      return
    }
    failed += 1
    if (failed <= 20) {
      console.log(`FAILED ${name} ${JSON.stringify(question)}\n  expected ${JSON.stringify(expected)}\n  answered ${JSON.stringify(answer)}`)
    }
  })
  deliberate.forEach((difference, place) => console.log(`   ${counts[place]} differ on purpose: ${difference.reason}`))
  console.log(`${failed ? 'FAILED' : 'ok'} ${name}: ${cases.length} cases, ${failed} differ`)
  if (failed || cases.length === 0) process.exitCode = 1
}
