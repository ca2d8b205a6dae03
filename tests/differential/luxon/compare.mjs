// luxon: formats of dates and of lengths of time in English, as Dataview uses them.
import { DateTime, Duration } from 'luxon'
import { Chance, compare } from '../harness.mjs'

const zones = ['Europe/Berlin', 'America/New_York', 'America/Anchorage', 'Asia/Kolkata', 'UTC']
const offsets = [60, -480, 330, 345, 0]
const tokens = (
  'S u SSS s ss uu uuu m mm h hh H HH Z ZZ ZZZ ZZZZ ZZZZZ z a d dd c ccc cccc ccccc E EEE EEEE EEEEE L LL LLL LLLL LLLLL M MM MMM MMMM MMMMM ' +
  'y yy yyyy yyyyyy G GG GGGGG kk kkkk W WW o ooo q qq X x D DD DDD DDDD t tt ttt tttt T TT TTT TTTT f ff fff ffff F FF FFF FFFF ' +
  'n ii SS EE cc yyy GGG ddd hhh ZZZZZZ DDDDD tttttt'
).split(' ')
const between = [' ', '-', '/', '.', ', ', ':', '', "'T'", "'W'", "' at '", "''", "'", 'ß', '[', '%']
const units = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds', 'milliseconds']
const durationTokens = 'y yy M MM w ww d dd h hh m mm s ss S SSS Q x hhhh'.split(' ')

const chance = new Chance(20260105)
function randomFormat(tokens) {
  let format = ''
  for (let length = chance.whole(1, 5); length > 0; length -= 1) format += chance.oneOf(tokens) + chance.oneOf(between)
  return format
}

const cases = []
function addDate(format) {
  const at = chance.whole(Date.UTC(1971, 0, 1), Date.UTC(2199, 11, 31))
  const fixed = chance.next() < 0.2
  const place = fixed ? { offset: chance.oneOf(offsets) } : { zone: chance.oneOf(zones) }
  const zone = fixed ? `UTC${place.offset < 0 ? '-' : '+'}${Math.trunc(Math.abs(place.offset) / 60)}:${String(Math.abs(place.offset) % 60).padStart(2, '0')}` : place.zone
  const expected = DateTime.fromMillis(at, { zone }).toFormat(format, { locale: 'en-US' })
  cases.push({ question: { ask: 'luxon', at, format, ...place }, expected })
}
for (const token of tokens) for (let repeat = 0; repeat < 20; repeat += 1) addDate(token)
for (let count = 0; count < 10000; count += 1) addDate(randomFormat(tokens))

const randomUnits = () => units.map(() => (chance.next() < 0.6 ? 0 : chance.next() < 0.9 ? chance.whole(-3, 400) : chance.whole(0, 400) / 4))
const durationOf = (values) => Duration.fromObject(Object.fromEntries(units.map((unit, place) => [unit, values[place]])))
for (let count = 0; count < 8000; count += 1) {
  const [values, format] = [randomUnits(), randomFormat(durationTokens)]
  cases.push({ question: { ask: 'duration', units: values, format }, expected: durationOf(values).toFormat(format) })
}
// As Dataview shows a length: the units that are not nothing, with and without all of them filled first.
const said = (duration) => Duration.fromObject(Object.fromEntries(Object.entries(duration.toObject()).filter(([, value]) => value !== 0)), { locale: 'en-US' }).toHuman()
for (let count = 0; count < 3000; count += 1) {
  const values = randomUnits()
  cases.push({ question: { ask: 'human', units: values }, expected: said(durationOf(values)) })
  cases.push({ question: { ask: 'normalized', units: values }, expected: said(durationOf(values).shiftToAll().normalize()) })
}

const worded = /ZZZZZ|[tT]{4}|[fF]{4}/
compare('luxon', 'dates', cases, [
  {
    reason: 'names of zones in words are known for the United States only; the others are said by their offset',
    is: ({ ask, zone, format }, expected, answer) => ask === 'luxon' && ['Europe/Berlin', 'Asia/Kolkata'].includes(zone) && worded.test(format) && /GMT\+\d\d:\d\d/.test(answer),
  },
])
