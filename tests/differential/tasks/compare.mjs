// rrule: the library with which the Tasks plugin reads and writes recurrence rules: the rule as read, its text, and the next day.
import rrule from 'rrule'
import { Chance, compare } from '../harness.mjs'

const { RRule } = rrule
const chance = new Chance(20260101)
/** Below, so that lists of choices read as "one of so many". */
const random = (below) => chance.whole(0, below - 1)
const pick = (items) => chance.oneOf(items)
const days = ['Monday', 'Tue', 'we', 'Thursday', 'Fri', 'Saturday', 'su', 'Thur', 'weekday', 'day']
const months = ['January', 'feb', 'March', 'apr', 'May', 'June', 'Jul', 'August', 'Sept', 'Oct', 'november', 'December']
const counted = ['first', 'second', 'third', 'last', '1st', '2nd', '3rd', '4th', '5th', 'second last', '2nd last', '3rd last']
const dated = [...counted, '15th', '28th', '29th', '30th', '31st', '15th last']
// Those hardly ever happen, and the library looks for them until the year 9999.
const rare = ['32nd', '53rd', '366th', '367th']
const nth = (usual) => (random(200) ? pick(usual) : pick(rare))
const joiners = [', ', ' and ', ' or ', ', and ', ' ']

function list(make) {
  let text = make()
  while (random(3) === 0) text += pick(joiners) + make()
  return text
}
function when() {
  switch (random(8)) {
    case 0: return ''
    case 1: return ` on ${list(() => pick(days))}`
    case 2: return ` on the ${list(() => nth(dated))}`
    case 3: return ` on the ${list(() => `${nth(counted)} ${pick(days)}`)}`
    case 4: return ` in ${list(() => pick(months))}`
    case 5: return ` in ${pick(months)} on the ${nth(counted)}${random(2) ? ` ${pick(days)}` : ''}`
    case 6: return ` in week ${1 + random(54)}${random(3) ? '' : `, ${1 + random(53)}`}`
    default: return ` on ${pick(days)} the ${nth(dated)}`
  }
}
function end() {
  switch (random(12)) {
    case 0: return ` for ${1 + random(4)} times`
    case 1: return ` until ${pick(['January', 'May', 'December'])} ${1 + random(28)}, ${2019 + random(12)}`
    case 2: return pick([' for', ' until', ' !', ' blah', ' until someday'])
    default: return ''
  }
}
function rule() {
  const interval = random(2) ? '' : `${pick([1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 24, 25, 52, 101])} `
  switch (random(10)) {
    case 0: return `every ${interval}day${random(2) ? 's' : ''}${random(5) ? '' : ` at ${1 + random(23)}`}${end()}`
    case 1: return `every ${interval}weekday${end()}`
    case 2: return `every ${interval}week${random(2) ? 's' : ''}${when()}${end()}`
    case 3:
    case 4: return `every ${interval}month${random(2) ? 's' : ''}${when()}${end()}`
    case 5:
    case 6: return `every ${interval}year${when()}${end()}`
    case 7: return `every ${interval}${list(() => pick(days))}${random(2) ? '' : ` on the ${list(() => nth(dated))}`}${end()}`
    case 8: return `every ${interval}${list(() => pick(months))}${when()}${end()}`
    default: return `every ${interval}${pick(['hour', 'minutes', 'hours', 'fortnight', ''])}${random(4) ? '' : when()}`
  }
}
function date() {
  const year = pick([2019, 2020, 2021, 2023, 2024, 2025, 2026])
  const month = 1 + random(12)
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return new Date(Date.UTC(year, month - 1, random(3) ? 1 + random(last) : last))
}

const iso = (when) => when.toISOString().slice(0, 10)
const dayLength = 24 * 60 * 60 * 1000

/** What the library says, and what the plugin makes of it for months and years that have no such day. */
function expected(text, start) {
  try {
    const options = RRule.parseText(text)
    if (options === null) return null
    const made = new RRule({ ...options, dtstart: start })
    const canonical = made.toText()
    return { text: canonical, next: next(made, canonical, start) }
  } catch {
    return null
  }
}
function next(made, canonical, start) {
  let after = new Date(start.getTime() + dayLength - 1)
  let found = made.after(after)
  const month = canonical.match(/every( \d+)? month(s)?(.*)?/)
  const year = canonical.match(/every( \d+)? year(s)?(.*)?/)
  const skips = () => {
    if (found === null) return false
    const years = found.getUTCFullYear() - after.getUTCFullYear()
    const allowed = Number((month ?? year)[1] ?? 1)
    return month ? years * 12 + found.getUTCMonth() - after.getUTCMonth() > allowed : years > allowed
  }
  if ((month && !canonical.includes(' on ')) || year) {
    let tries = 0
    while (skips()) {
      if (++tries > 1500) return 'endless'
      after = new Date(Math.floor(after.getTime() / dayLength) * dayLength - dayLength)
      found = new RRule({ ...made.origOptions, dtstart: after }).after(after)
    }
  }
  return found && iso(found)
}

const cases = Array.from({ length: 2500 }, () => {
  const [text, start] = [rule(), date()]
  return { question: { rule: text, from: iso(start) }, expected: expected(text, start) }
})
if (cases.filter((one) => one.expected).length < cases.length / 3) throw new Error('too few of the cases are rules for this to say anything')

compare('tasks', 'recurrence', cases, [
  {
    reason: 'the plugin looks for the day without an end',
    is: (question, expected) => expected?.next === 'endless',
  },
])
