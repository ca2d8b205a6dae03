// json-logic-js: the reference implementation of the rules of `search_jsonlogic`. A rule only says true or false here, so that every rule is
// also asked inside others which look at what it gives: its text, its type, its order.
import jsonLogic from 'json-logic-js'
import { Chance, compare } from '../harness.mjs'

const chance = new Chance(20260411)
jsonLogic.add_operation('log', (value) => value)

const texts = ['', ' ', 'a', 'abc', 'Abc', 'ü', '👩‍🚀x', '0', '12', ' 4 ', '1e3', '0x10', '-5', '3 apples', 'NaN', 'Infinity', 'null', 'true', '2026-01-04', '10', '9', '\n7', '.5', '5.', '+3', '1,2']
const numbers = [0, 1, -1, 2, 3.5, 10, 1e21, 1e-7, -0.5, 123456789012, 0.1, 100]
const names = ['a', 'b', 'c', 'd', 'list', 'object', 'x', 'y', '0']
const scalar = () => chance.oneOf([() => chance.oneOf(texts), () => chance.oneOf(numbers), () => chance.oneOf([true, false, null])])()
function value(depth) {
  if (depth === 0 || chance.next() < 0.5) return scalar()
  const size = chance.whole(0, 3)
  if (chance.next() < 0.6) return Array.from({ length: size }, () => value(depth - 1))
  return Object.fromEntries(Array.from({ length: size }, () => [chance.oneOf(names), value(depth - 1)]))
}
const data = () => ({ ...Object.fromEntries(names.slice(0, 4).map((name) => [name, value(2)])), list: Array.from({ length: chance.whole(0, 4) }, () => value(1)), object: { x: value(2), y: scalar() } })
const path = () => chance.oneOf([
  () => chance.oneOf(names), () => `${chance.oneOf(['a', 'b', 'list', 'object'])}.${chance.oneOf(['0', '1', 'x', 'y', 'length', '', '01', '-1', '1.0'])}`,
  () => `object.x.${chance.oneOf(['0', 'x', 'length'])}`, () => 'none.such', () => '', () => 0, () => 1.5, () => null, () => 'length', () => 'current', () => 'accumulator', () => 'current.x',
])()
/** Literals of rules: a map with one key would be an operation. */
const literal = () => chance.oneOf([scalar, scalar, scalar, () => Array.from({ length: chance.whole(0, 3) }, scalar), () => ({ x: 1, y: chance.oneOf(texts) }), () => ({})])()
const variable = () => chance.oneOf([() => ({ var: path() }), () => ({ var: [path()] }), () => ({ var: [path(), literal()] }), () => ({ var: [] })])()
const binary = ['==', '===', '!=', '!==', '<', '<=', '>', '>=', '-', '/', '%', 'in', 'cat', 'merge', '+', '*', 'min', 'max']
const many = ['and', 'or', 'if', '?:', 'cat', 'merge', '+', '*', 'min', 'max', '<', '<=', 'substr']
const looping = ['filter', 'map', 'all', 'some', 'none']
function rule(depth) {
  if (depth === 0) return chance.next() < 0.4 ? literal() : variable()
  const inner = () => rule(chance.whole(0, depth - 1))
  const list = () => chance.oneOf([() => ({ var: chance.oneOf(['list', 'a', 'object.x', '']) }), inner, () => Array.from({ length: chance.whole(0, 3) }, inner)])()
  return chance.oneOf([
    () => ({ [chance.oneOf(binary)]: [inner(), inner()] }),
    () => ({ [chance.oneOf(many)]: Array.from({ length: chance.whole(1, 5) }, inner) }),
    () => ({ [chance.oneOf(['!', '!!', '-', '+', 'cat', 'log', 'max', '*', 'merge'])]: chance.next() < 0.5 ? [inner()] : inner() }),
    () => ({ [chance.oneOf(looping)]: [list(), inner()] }),
    () => ({ reduce: chance.next() < 0.8 ? [list(), inner(), inner()] : [list(), inner()] }),
    () => ({ reduce: [list(), { [chance.oneOf(['+', 'cat', 'merge', 'max'])]: [{ var: 'current' }, { var: 'accumulator' }] }, chance.oneOf([0, '', []])] }),
    () => ({ missing: chance.oneOf([() => Array.from({ length: chance.whole(0, 4) }, path), path, () => [{ merge: [path(), [path()]] }]])() }),
    () => ({ missing_some: [chance.oneOf([0, 1, 2, '1', null]), Array.from({ length: chance.whole(0, 4) }, path)] }),
    () => ({ substr: [inner(), chance.oneOf([0, 1, -1, 2, -3, '1', null, 1.7]), chance.oneOf([0, 1, -1, 2, -2, '2', null])] }),
    () => ({ substr: [inner(), chance.whole(-4, 4)] }),
    () => ({ [chance.oneOf(['and', 'or', 'if', 'cat', 'merge', '+', '-', '<', 'min', 'max', '!', '!!', 'in', 'missing', 'filter', 'all', 'reduce'])]: [] }),
  ])()
}
/** The rule itself, and what it gives as text, as a number, and beside null, undefined and a list. */
function probes(asked, data) {
  const text = { cat: [asked] }
  let said
  try {
    said = jsonLogic.apply(text, data)
  } catch {
    said = ''
  }
  // Half of a character is nothing that a note could hold.
  if (typeof said === 'string' && !said.isWellFormed()) return []
  return [asked, { '===': [text, said] }, { '===': [asked, null] }, { '==': [asked, null] }, { '>=': [asked, 0] }, { '===': [asked, said] }, { '==': [asked, said] }, { in: [asked, [null, true, false, said, 0, 1]] },
    { some: [asked, true] }, { '===': [{ 'var': [{ cat: ['none', asked] }, asked] }, said] }, { '<': ['', asked, 'b'] }]
}
function applied(asked, data) {
  try {
    return jsonLogic.truthy(jsonLogic.apply(asked, data))
  } catch {
    return 'throws'
  }
}

const cases = []
for (let count = 0; count < 12000; count += 1) {
  const [given, asked] = [data(), rule(chance.whole(1, 4))]
  const rules = probes(asked, given)
  if (rules.length > 0) cases.push({ question: { rules, data: given }, expected: rules.map((one) => applied(one, given)) })
}

compare('json-logic', 'json_logic', cases, [
  {
    reason: 'the library throws on arguments that it does not expect, such as the text of an object without one; the rule is answered, or refused with a reason',
    is: (question, expected, answer) => answer.every((one, place) => one === expected[place] || expected[place] === 'throws'),
  },
])
