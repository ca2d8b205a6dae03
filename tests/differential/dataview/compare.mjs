// Dataview: the plugin's own package parses expressions, queries and the values of inline fields. It has no evaluator and no functions, so
// those are tested by tables only; how values compare is in ../dataview-values.
import { Chance, compare } from '../harness.mjs'
import { EXPRESSION, QUERY_LANGUAGE } from './package.mjs'

const units = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds']
const kindOf = (value) => value?.constructor?.name
/** Values as the example binary writes them. */
function plain(value) {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return value.map(plain)
  if (kindOf(value) === 'DateTime') return { date: dateText(value) }
  if (kindOf(value) === 'Duration') {
    const parts = units.map((unit) => [unit, value.toObject()[unit] ?? 0]).filter(([, amount]) => amount !== 0)
    return { duration: Object.fromEntries(parts) }
  }
  if (kindOf(value) === 'Link') {
    return { link: { path: value.path, type: value.type, subpath: value.subpath ?? null, display: value.display ?? null, embed: value.embed ?? false } }
  }
  return value
}
function dateText(date) {
  const text = date.toFormat("yyyy-MM-dd'T'HH:mm:ss.SSS")
  if (text.endsWith('T00:00:00.000') && date.zone.type === 'system') return text.slice(0, 10)
  return date.zone.type === 'system' ? text : text + date.toFormat('ZZ')
}
/** Trees with their keys in order, and midnight without a time, which the package does not tell from a day. */
function ordered(value) {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT00:00:00\.000$/.test(value)) return value.slice(0, 10)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, ordered(value[key])]))
}
function tree(node) {
  if (Array.isArray(node)) return node.map(tree)
  if (node === null || typeof node !== 'object') return node ?? null
  if (node.type === 'literal') return { type: 'literal', value: plain(node.value) }
  return Object.fromEntries(Object.entries(node).filter(([key]) => key !== 'settings').map(([key, value]) => [key, tree(value)]))
}
const read = (parser, text, show) => {
  const result = parser.parse(text)
  return result.status ? ordered(show(result.value)) : null
}

const chance = new Chance(20240313)
const names = ['a', 'file', 'due-date', 'über', '📅', 'x1', 'rows', 'this', 'row']
const atoms = [
  ...names, '1', '-2', '3.5', '"text"', '"a\\"b"', 'true', 'false', 'null', '[[a]]', '[[a#b|c]]', '[[a#^b]]', '![[a]]', '[]', '{}', '{ a: 1, "b c": x }', '[1, "b"]',
  'date(2021-05-04)', 'date(2021-05)', 'date(2021-05-04T10:20)', 'date(2021-05-04T10:20:30.400+05:30)', 'date(2021-13-01)', 'date(2021-02-30)',
  'dur(1 d)', 'dur(3 h, 20 minutes)', 'dur(1.5yrs2mo)', '(x) => x', '(a, b) => a', '() => 1', 'dur(x)', 'date(x)',
]
const operators = ['+', '-', '*', '/', '%', '=', '!=', '<', '<=', '>', '>=', 'and', 'or', '&', '|', 'AND', '==', '&&', '//']
function expression(depth) {
  if (depth === 0) return chance.oneOf(atoms)
  const inner = () => expression(chance.whole(0, depth - 1))
  return chance.oneOf([
    () => `${inner()} ${chance.oneOf(operators)} ${inner()}`,
    () => `${inner()}${chance.oneOf(operators)}${inner()}`,
    () => `(${inner()})`,
    () => `( ${inner()} )`,
    () => `!${inner()}`,
    () => `${inner()}.${chance.oneOf(names)}`,
    () => `${inner()}[${inner()}]`,
    () => `${chance.oneOf(['f', 'contains', 'list', 'length'])}(${inner()}, ${inner()})`,
    () => `${inner()}( ${inner()} )`,
    () => `[${inner()}, ${inner()}]`,
    () => `{k: ${inner()}}`,
    () => `(${chance.oneOf(['x', 'y, z'])}) => ${inner()}`,
  ])()
}
const source = (depth) =>
  depth === 0
    ? chance.oneOf(['#tag', '#a/b', '"folder"', '""', '[[x]]', '[[]]', '[[#]]', 'outgoing([[x|y]])', 'csv("a.csv")'])
    : chance.oneOf([() => `-${source(depth - 1)}`, () => `!${source(depth - 1)}`, () => `(${source(depth - 1)})`,
        () => `${source(depth - 1)} ${chance.oneOf(['and', 'or', '&', '|', 'OR'])} ${source(depth - 1)}`])()
const named = () => expression(chance.whole(0, 2)) + chance.oneOf(['', ' AS n', ' as "a name"', ''])
const space = () => chance.oneOf([' ', '\n', '  ', '\n// a comment\n'])
function query() {
  const header = chance.oneOf([
    () => `TABLE ${named()}, ${named()}`, () => `table without id ${named()}`, () => 'TABLE', () => 'LIST', () => `LIST ${expression(1)}`,
    () => `LIST WITHOUT ID ${expression(1)}`, () => 'TASK', () => `CALENDAR ${named()}`, () => 'SELECT a',
  ])()
  const clauses = Array.from({ length: chance.whole(0, 3) }, () =>
    chance.oneOf([() => `WHERE ${expression(2)}`, () => `SORT ${expression(1)} ${chance.oneOf(['', 'ASC', 'desc', 'DESCENDING'])}, a`,
      () => `GROUP BY ${named()}`, () => `FLATTEN ${named()}`, () => `limit ${expression(0)}`])())
  const from = chance.next() < 0.7 ? [`FROM ${source(chance.whole(0, 2))}`] : []
  return [header, ...from, ...clauses].reduce((text, part) => text + space() + part)
}
const values = ['1', '-2.5', 'true', 'False', 'null', '"a"', '"a, b"', '#tag', '[[a|b]]', '![[a]]', '2021-08', '2021-08-04T10:20', '90 minutes', '1d 3h', '5 days, 2 hours', 'text', 'a b', '12 monkeys', '']
const inline = () => Array.from({ length: chance.whole(1, 4) }, () => chance.oneOf(values)).join(chance.oneOf([', ', ',', ' , ', ' ']))

const cases = []
const expressions = [...atoms, ...Array.from({ length: 8000 }, () => expression(chance.whole(1, 3)))]
for (const text of expressions) cases.push({ question: { ask: 'expression', text }, expected: read(EXPRESSION.field, text, tree) })
for (let count = 0; count < 4000; count += 1) {
  const text = query()
  cases.push({ question: { ask: 'query', text }, expected: read(QUERY_LANGUAGE.query, text, tree) })
}
for (const text of [...values, ...Array.from({ length: 3000 }, inline)]) {
  const result = EXPRESSION.inlineField.parse(text)
  cases.push({ question: { ask: 'inline', text }, expected: text.trim() === '' ? null : ordered(result.status ? plain(result.value) : text) })
}

compare('dataview', 'dataview', cases, [
  {
    reason: 'a name may start with true, false or null; the package takes that part of it for the value, so that null-x is null - x',
    is: ({ ask, text }) => ask !== 'inline' && /(true|false|null)(and|or|-)/i.test(text),
  },
])
