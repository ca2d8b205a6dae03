// yaml: the library with which the app reads and writes properties. What a block says must be the same, and what is written must come back.
import YAML from 'yaml'
import { Chance, compare } from '../harness.mjs'

const chance = new Chance(20260423)
const times = (least, most, make) => Array.from({ length: chance.whole(least, most) }, make)

/** Values as the example binary writes them: maps by key, and numbers that JSON does not have by name. */
function plain(value) {
  if (value === undefined || value === null) return null
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'number' && !Number.isFinite(value)) return { number: { Infinity: 'inf', '-Infinity': '-inf', NaN: 'NaN' }[value] }
  if (typeof value !== 'object') return value
  const keys = Object.keys(value).sort((one, other) => (one < other ? -1 : 1))
  return { map: keys.map((key) => [key, plain(value[key])]) }
}
/** The properties of a block; null where it has none because it cannot be read, or is no map. */
function read(text, refused = () => {}) {
  try {
    const value = YAML.parse(text, { logLevel: 'error' })
    if (value === null || value === undefined) return { map: [] }
    return typeof value === 'object' && !Array.isArray(value) ? plain(value) : null
  } catch (error) {
    refused(error.code)
    return null
  }
}

// Blocks are made line by line. What they hold may be invalid: then both must say so.
const words = ['word', 'two words', 'yes', 'no', 'on', 'Off', 'y', 'n', 'true', 'True', 'TRUE', 'tRUE', 'false', 'False', 'null', 'Null', 'NULL', 'nULL', '~', '2026-01-04', '2026-01-04T10:20:30', '2026-01-04 10:20', '12:30', '1:2:3',
  '0', '1', '-1', '+1', '0123', '-0123', '0o17', '0o18', '-0o17', '0x1F', '0xG', '-0x1F', '1_000', '1,000', '1.0', '1.5', '.5', '5.', '-.5', '1e3', '1E-3', '1.5e+3', '1e', '.', '..', '...x', '.inf', '-.inf', '+.Inf', '.INF', '.nan', '.NaN', '.NAN', '+.nan', 'NaN', 'Infinity',
  '9007199254740993', '99999999999999999999', '1e400', '-0', '0.1', '1.10', '1.2.3', 'x:y', 'a:b:c', 'http://example.org/a?b=c#d', 'it\'s', 'say "x"', 'a#b', 'a #b', 'a, b', '-x', '- x', '-', '?', '? x', '?x', ': x', ':x', ':', '::', '=', '<<', '%x', 'x%', '@x', '`x`', '!', '!x', '! x', '&', '*', '|', '>', '#', '# x', '', ' ', '[[Note]]', '[[Note|x]]', '![[Note]]', '[x](y)', '#tag', 'a/b', 'C:\\x', '{{date}}', '{x', '[x', 'x]', 'x}', '[]', '{}', '[a, b]', '{a: b}', '[a, [b, {c: d}]]', '{a: {b: [c]}}', '[a,b]', '{a:b}', '{a:1}', '{"a":1}', '["a",1]', '[a: b]', '[a: b, c]', '[,]', '[a,,b]', '[a,]', '{a,}', '{a, b: c}', '[? a : b]', '{? a}', '[#c]', '[a #c\n ]', '[a]b', '{a: b}c', '"a"b', '\'a\'b',
  '"x"', "'x'", '""', "''", '"a: b"', "'it''s'", '"a\\nb"', '"\\u00fc\\x41\\t\\e"', '"\\q"', '"\\/"', '"a\\\\"', '"unclosed', "'unclosed", '"a" #c', '"a"#c', "'a' # c", '"# no"', '"0123"', '"true"', '" lead"', 'trail ', ' lead', 'tab\there', '\ttab', 'x\t#c', 'x\t# c',
  'ü', '灯台', '👩‍🚀', 'a\u00a0b', '\u00a0', 'a\u2028b', 'a\u0085b', 'a\u200bb', '\u0007', 'a\u0001b', 'é', 'ﬁ', '\ud83d\ude00',
  '!!str 1', '!!str', '!!int "1"', '!!bool "true"', '!!null ""', '!!null x', '!custom x', '!!seq [a]', '!!map {a: b}', '!!int x', '!<tag:yaml.org,2002:str> 1',
  '&a x', '&b [x]', '*a', '*b', '*none', '&a', '&a &b x', '*a x', '&c {d: *a}', '&a1 1', '&ü x',
  'a: b', 'a:', 'a: b: c', '"a": b', '- a: b', '? a', '"a\n  b"', "'a\n  b'", "'a\n\n  b'", '"a \\\n  b"', 'a\n  b', 'a\n  b #c\n  c', 'a\n\n  b', 'a\n  - b', 'a\n  b: c', '"a\nb"', '[a\n, b]', '[a,\n  b\n  ]', '{a: b,\n  c: d}', '{a: b,\nc: d}', '[\n]', '{\n  }']
const keys = ['a', 'b', 'c', 'tags', 'due date', 'Über', '"quoted"', "'single'", '"a: b"', '1', '01', '1.0', 'true', 'null', '~', '2026-01-04', '📅', 'a.b', 'a-b', 'a/b', '<<', '=', '*a', '&k x', '!!str 1', '- x', '-x', '', '#x', 'x#y', 'x #y', '__proto__', 'constructor', 'x:y', 'x ', 'a\tb', '@x', '%x', '%', '"é"', 'k\u00a0', 'x y z', '"unclosed', '.inf', '-1', '0x10', '""', "'it''s'", '"\\n"']
const blockHeaders = ['|', '>', '|-', '>-', '|+', '>+', '|2', '>1-', '|-1', '|0', '| #c', '|x', '>- x', '|  ']
const spaces = () => chance.oneOf(['', '', '', '', ' ', '  ', '\t'])
const comment = () => chance.oneOf(['', '', '', '', '', '', ' # c', ' #c: d', '\t# c', '# c', '  #'])
const key = () => (chance.next() < 0.75 ? chance.oneOf(['a', 'b', 'c', 'd', 'e', 'f', 'tags', 'due date', 'x1', 'Über']) : chance.oneOf(keys))

/** Lines that stand below a key or a dash. */
function blockScalar(indent) {
  const lines = times(0, 5, () => chance.oneOf(['text', 'more text', '', '', ' deeper', '  - x', '# no comment', 'a: b', '\ttab', 'trail  ', '"x"', '...', '- a', '  ', '\t']))
  return [chance.oneOf(blockHeaders), ...lines.map((line) => (line === '' && chance.next() < 0.7 ? '' : indent + line))].join('\n')
}
function node(depth, indent) {
  const kind = chance.next()
  if (depth === 0 || kind < 0.55) return ` ${chance.oneOf(words)}`
  if (kind < 0.65) return ` ${blockScalar(indent + chance.oneOf(['  ', '  ', ' ', '    ', '']))}`
  const inner = indent + chance.oneOf(['  ', '  ', '  ', ' ', '    ', '', '\t'])
  const property = chance.next() < 0.1 ? chance.oneOf([' &a', ' &b', ' !x', ' !!map', ' !!seq', ' # c', ' |']) : spaces()
  if (kind < 0.85) return `${property}\n${times(1, 4, () => `${inner}-${node(depth - 1, inner + '  ')}${comment()}`).join('\n')}`
  return `${property}\n${map(depth - 1, inner)}`
}
function map(depth, indent) {
  const colon = () => chance.oneOf([':', ':', ':', ':', ':', ':', ':', ' :', '\t:', ''])
  return times(1, 5, () => chance.oneOf(['', '', '', '', '', '', '', '\n', `${indent}# c\n`, `# c\n`, '  \n'])
    + `${indent}${key()}${chance.next() < 0.9 ? ':' : colon()}${node(depth, indent)}${comment()}`).join('\n')
}
/** Lists and maps as people write them, each of them valid on its own. */
const usual = () => times(1, 6, (_, place) => `k${place}:${chance.oneOf([
  () => ` ${chance.oneOf(words)}`,
  () => `\n${times(1, 3, () => `  - ${chance.oneOf(words)}`).join('\n')}`,
  () => `\n${times(1, 3, () => `- ${chance.oneOf(words)}`).join('\n')}`,
  () => ` [${times(0, 4, () => chance.oneOf(words)).join(', ')}]`,
  () => ` {${times(0, 3, (_, at) => `k${at}: ${chance.oneOf(words)}`).join(', ')}}`,
  () => `\n  x: ${chance.oneOf(words)}\n  y:\n    - ${chance.oneOf(words)}\n    - z: ${chance.oneOf(words)}`,
  () => ` ${blockScalar('  ')}`,
])()}${comment()}`).join('\n')
/** One character more, less or other. */
function damaged(text) {
  const at = chance.whole(0, text.length)
  const letter = chance.oneOf([...' \t\n:-#[]{},"\'&*!|>%@`?~a1', '\n  ', ': ', ' #', '\n- '])
  return chance.oneOf([() => text.slice(0, at) + text.slice(at + 1), () => text.slice(0, at) + letter + text.slice(at), () => text.slice(0, at) + letter + text.slice(at + 1)])()
}

// Keys that are no texts, types of YAML 1.1 and marks inside values: rare, and not always the same.
const rareKeys = ['[x]', '[a, b]', '{x: y}', '[[x]]', '{{x}}', '{{x}}-y', '? x', '? [a]', '?']
const rareWords = ['!!float 1', '!!float 1.5', '!!set {a}', '!!binary aGk=', '!!timestamp 2026-01-04', '\ufeffx', 'x\ufeff']
const blocks = [...words.map((word) => `k: ${word}`), ...words.map((word) => `k:\n  - ${word}`), ...keys.map((name) => `${name}: v`), ...words.map((word) => `k: [${word}]`), ...words.map((word) => `k: {a: ${word}}`), ...rareKeys.map((name) => `${name}: v`), ...rareWords.map((word) => `k: ${word}`), ...words, '{"a": 1, "b": [true, null]}', '{\n  "a": "x",\n  "b": {"c": 1}\n}']
for (let count = 0; count < 4000; count += 1) blocks.push(usual())
for (let count = 0; count < 4000; count += 1) blocks.push(map(chance.whole(0, 3), ''))
for (let count = 0; count < 3000; count += 1) blocks.push(damaged(usual()).toWellFormed())

const cases = []
/** Why the library refuses a block, by question. */
const refusals = new Map()
const isFence = (line) => /^---[ \t\r]*$/.test(line)
for (const block of blocks) {
  for (const ending of chance.next() < 0.2 ? ['\n', '\r\n'] : ['\n']) {
    const text = (block + '\n').replaceAll('\n', ending)
    if (text.split('\n').some(isFence)) continue
    const one = { question: { ask: 'read', note: `---${ending}${text}---${ending}body\n` } }
    cases.push({ ...one, expected: read(text, (code) => refusals.set(one.question, code)) })
  }
}

// What is written: the library's own spelling, with the settings that the app has.
const letters = [...'ab \n\t:#-,[]{}"\'&*!|>%@`?~=\\/.0', '  ', ': ', ' #', '- ', '\n\n', 'word ', 'ü', '👩‍🚀', '\u00a0', '\u0007', '\u2028', '\r', 'a longer text with words ']
const text = () => chance.oneOf([() => chance.oneOf(words), () => times(0, 8, () => chance.oneOf(letters)).join(''), () => chance.oneOf(['[[Note]]', '[[Note|x]]', 'x: y', '#tag', '0123', 'true', ' lead', 'x:y', 'yes', "it's", '2026-01-04', 'one\ntwo', 'one\ntwo\n'])])()
const number = () => chance.oneOf([0, 1, -1, 3.5, 1e21, 1e-7, 123456789012, 0.1, -0.5, 100, 1e300, 2 ** 53])
function value(depth) {
  const kind = chance.next()
  if (depth === 0 || kind < 0.6) return chance.oneOf([text, text, text, number, () => chance.oneOf([true, false, null])])()
  if (kind < 0.85) return times(0, 4, () => value(depth - 1))
  return Object.fromEntries(times(0, 3, () => [name(), value(depth - 1)]))
}
// Not numbers, which JavaScript would put first.
const name = () => chance.oneOf([() => chance.oneOf(['a', 'tags', 'due date', 'Über', 'x:y', '#x', 'a: b', '[[x]]', '- x', 'true', 'null', '~', '', ' ', '?', 'a\nb', '__proto__', '"', "'", '📅', '1.5', '0x10', 'a#b', 'a #b', '%x', '---', '...', 'k\t']), text])()
const pairs = (object) => Object.entries(object).map(([key, one]) => [key, tagged(one)])
/** Values as the example binary reads them. */
function tagged(one) {
  if (Array.isArray(one)) return one.map(tagged)
  return one !== null && typeof one === 'object' ? { map: pairs(one) } : one
}
const spelled = (object) => YAML.stringify(object, { lineWidth: 0, nullStr: '', aliasDuplicateObjects: false })
for (let count = 0; count < 6000; count += 1) {
  const object = JSON.parse(JSON.stringify(Object.fromEntries(times(1, 4, () => [name(), value(chance.whole(0, 3))]))).toWellFormed())
  if (Object.keys(object).some((key) => /^\d+$/.test(key))) continue
  const written = spelled(object)
  if (JSON.stringify(read(written)) !== JSON.stringify(plain(object))) throw new Error(`does not come back: ${written}`)
  cases.push({ question: { ask: 'write', map: pairs(object) }, expected: written })
}

/** Whether the library alone refuses the block, with this error. */
const refused = (question, answer, code) => answer !== null && refusals.get(question) === code
const writes = (...parts) => ({ note }) => note !== undefined && parts.some((part) => part.test(note))
compare('yaml', 'properties', cases, [
  { reason: 'a map or a list as a key is named by its value, and by the library as it is written', is: writes(/\n(\? )?[[{].*: v\r?\n/) },
  { reason: 'types of YAML 1.1 are texts, or what they are written as', is: writes(/!!(float|set|binary|timestamp)/) },
  { reason: 'a byte order mark inside a block is refused', is: (question, expected, answer) => answer === null && question.note?.includes('\ufeff') },
  { reason: 'a list that starts on the line of its key is refused; the library takes its first key for one of the outer map', is: (question, expected, answer) => answer === null && /: +- *\S*:/.test(question.note) },
  { reason: 'a question mark inside brackets is a text where it is alone, and refused beside a key of nothing', is: writes(/[[{,:] *\?[\]}, ]/) },
  { reason: 'blank lines in a block of text: with more blanks than the text, or with tabs', is: ({ note }) => /[:-] +[|>]/.test(note) && /\n( +\r?\n| *\t)/.test(note) },
  { reason: 'a key over more than one line is refused, and what is written behind a question mark that does not begin the line of its map', is: (question, expected, answer) => answer === null && /(^|\n) *(\?|: \{)/.test(question.note) },
  { reason: 'a tag that touches a text is refused', is: (question, expected, answer) => answer === null && /!!\w+"/.test(question.note) },
  { reason: 'a tag that touches a bracket stands before it', is: (question, expected, answer) => refused(question, answer, 'MISSING_CHAR') && /![[{]/.test(question.note) },
  { reason: 'a key of nothing may have a map beside it', is: (question, expected, answer) => refused(question, answer, 'BLOCK_AS_IMPLICIT_KEY') && /(^|\n|- ): /.test(question.note) },
])
