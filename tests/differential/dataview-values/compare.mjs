// Dataview's values: how any two compare, what counts as true, what their type is called and how they are shown, as the plugin's package has it.
import { Chance, compare } from '../harness.mjs'
import { EXPRESSION, ExternalLinkWidget, Values } from '../dataview/package.mjs'

const chance = new Chance(20260512)
const times = (least, most, make) => Array.from({ length: chance.whole(least, most) }, make)
const quoted = (text) => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
const letters = [...'abAB09zZ _-.,:;!?/\\()[]{}"\'#%&*+<=>@^`|~$', 'é', 'E', 'e', 'ä', 'Ä', 'ß', 'ss', 'ø', 'ñ', 'n', 'Æ', 'ae']
const texts = ['', 'a', 'A', 'b', 'ab', 'aB', 'Ab', 'a b', 'a-b', 'a_b', 'äb', '10', '9', 'Note 2', 'Note 10', 'co-op', 'coop', 'résumé', 'resume', 'Resume', 'straße', 'strasse', ' a', 'a ', 'a1', 'a01', '2021-05-04', 'true', 'null']
const paths = ['a', 'b', 'A', 'folder/a', 'folder/b.md', 'a.md', 'x.png', 'ä', 'a b', 'folder/sub/a']
const scalars = {
  null: () => 'null',
  boolean: () => chance.oneOf(['true', 'false']),
  number: () => chance.oneOf(['0', '1', '-1', '2', '10', '9', '3.5', '-0.5', '0.1', '100000', '123456789012', '0.0000001', '1000000000000000000000', '-0', '1.10']),
  text: () => quoted(chance.next() < 0.6 ? chance.oneOf(texts) : times(1, 4, () => chance.oneOf(letters)).join('')),
  date: () => `date(${chance.oneOf(['2021', '1970', '2020', '1999'])}-${chance.oneOf(['01', '05', '12'])}-${chance.oneOf(['01', '04', '28'])}${chance.oneOf(['', '', 'T00:00', 'T10:20', 'T10:20:30', 'T00:00:00.400', 'T23:59:59.999', 'T10:20:30+05:30', 'T10:20:30Z', 'T01:00:00+01:00'])})`,
  duration: () => `dur(${times(1, 3, () => `${chance.oneOf(['0', '1', '2', '7', '12', '24', '30', '60', '365', '1.5'])} ${chance.oneOf(['s', 'minutes', 'h', 'days', 'week', 'months', 'yr'])}`).join(', ')})`,
  link: () => `${chance.oneOf(['', '', '!'])}[[${chance.oneOf(paths)}${chance.oneOf(['', '', '', '#h', '#H', '#b', '#A: b  (c)', '#^x', '#^b'])}${chance.oneOf(['', '', '|shown', '|'])}]]`,
  function: () => chance.oneOf(['((x) => x)', '((a, b) => a)']),
}
const kinds = Object.keys(scalars)
function value(depth) {
  const kind = chance.next()
  if (depth === 0 || kind < 0.7) return scalars[chance.oneOf(kinds)]()
  if (kind < 0.85) return `[${times(0, 3, () => value(depth - 1)).join(', ')}]`
  return `{ ${times(0, 3, () => `${chance.oneOf(['a', 'b', '"B"', '"c d"', '"ä"', '"10"', '"9"'])}: ${value(depth - 1)}`).join(', ')} }`
}

/** What the package makes of the text; only literals, lists and objects are written here. */
function made(field) {
  switch (field.type) {
    case 'literal': return field.value
    case 'list': return field.values.map(made)
    case 'object': return Object.fromEntries(Object.entries(field.values).map(([key, one]) => [key, made(one)]))
    case 'lambda': return () => null
    default: throw new Error(`no value: ${field.type}`)
  }
}
const read = (text) => made(EXPRESSION.field.tryParse(text))

const cases = []
const ask = (text, expected) => cases.push({ question: { ask: 'evaluate', text }, expected })
function alone(text, own = read(text)) {
  ask(`typeof(${text})`, Values.typeOf(own))
  ask(`!(${text})`, !Values.isTruthy(own))
  ask(`string(${text})`, Values.toString(own))
}
function pair(left, right, [first, second] = [read(left), read(right)]) {
  const order = Values.compareValue(first, second)
  ask(`[${left} < ${right}, ${left} = ${right}, ${left} > ${right}]`, [order < 0, order === 0, order > 0])
}
for (let count = 0; count < 4000; count += 1) alone(value(2))
for (let count = 0; count < 8000; count += 1) pair(value(2), value(2))
// Of one kind, since what differs in kind is decided by its name.
for (const kind of kinds) for (let count = 0; count < 1500; count += 1) pair(scalars[kind](), scalars[kind]())
for (let count = 0; count < 2000; count += 1) {
  const [one, other] = [value(2), value(2)]
  pair(`[${one}]`, `[${chance.oneOf([one, other])}]`)
}
const sites = [['https://example.org'], ['https://example.org', 'shown'], ['x', '']]
for (const site of sites) {
  const text = `elink(${site.map(quoted).join(', ')})`
  alone(text, new ExternalLinkWidget(...site))
  for (const kind of kinds) {
    const other = scalars[kind]()
    pair(text, other, [new ExternalLinkWidget(...site), read(other)])
  }
}

const lettersOf = (text) => [...text].sort().join('')
compare('dataview-values', 'dataview', cases, [
  {
    reason: 'keys stay in the order in which they are written; JavaScript puts those that are whole numbers first',
    is: ({ text }, expected, answer) => /"\d+":/.test(text) && text.startsWith('string(') && lettersOf(expected) === lettersOf(answer),
  },
])
