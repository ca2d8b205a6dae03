// moment.js: formats, strict reading and relative time, in every language that Quillgate has.
import moment from 'moment'
import { createRequire } from 'node:module'
import { Chance, compare } from '../harness.mjs'

const require = createRequire(import.meta.url)
const locales = ['en', 'en-gb', 'de', 'fr', 'es', 'it', 'pt-br', 'nl', 'ja', 'zh-cn', 'ko', 'ru', 'pl', 'sv']
locales.slice(1).forEach((locale) => require(`moment/locale/${locale}`))

const zone = 'Europe/Berlin'
process.env.TZ = zone
// "Now" is a parameter of Quillgate's, and a clock of moment's.
const now = Date.UTC(2026, 0, 4, 8, 5, 7)
moment.now = () => now

const tokens = (
  'YYYY YY Y YYYYY YYYYYY Q Qo M Mo MM MMM MMMM D Do DD DDD DDDo DDDD d do dd ddd dddd e E w wo ww W Wo WW gg gggg ggggg GG GGGG GGGGG ' +
  'H HH h hh k kk hmm hmmss Hmm Hmmss m mm s ss S SS SSS SSSS SSSSSSSSS A a Z ZZ X x z zz N NN NNN NNNN NNNNN y yy yyy yyyy yo ' +
  'L LL LLL LLLL LT LTS l ll lll llll'
).split(' ')
const between = [' ', '-', '/', '.', ', ', ':', '', '_', 'T', '[W]', '[of]', ' [de] ', '[a]b]', '\\', '\\[', '[', ']', '\\M', 'w|', 'ß', '年', '[В] ', 'g', 'P', '\n']
const sensible = [
  'YYYY-MM-DD', 'gggg-[W]ww', 'GGGG-[W]WW', 'YYYY-[Q]Q', 'YYYY-MM', 'YYYY', 'YYYY/MM/YYYY-MM-DD', 'dddd, MMMM Do YYYY', 'D MMMM YYYY', 'DD MMM YY',
  'D-MMM-YYYY', 'YYYYMMDDHHmm', 'YYYY-MM-DDTHH:mm:ss.SSSZ', 'h:mm a', 'hh:mm:ss A', 'YYYY-DDDD', 'gggg [Week] w e', 'GGGG-W-E', 'ddd D. MMM YYYY', 'dd DD.MM.YYYY',
  'X', 'x', 'LLLL', 'LLL', 'LL', 'L LT', 'l LTS', 'llll', 'NNNN y MM DD', 'NNNNN yo MM DD', 'Do MMMM YYYY', 'YYYY-MM-DD kk:mm', 'Hmm', 'hmmss a', 'Mo D YYYY',
  'YYYY-MM-DD ZZ', 'e gg ww', 'd gggg w', 'dddd gggg ww', 'MMMM', 'DD', 'HH:mm', 'MM-DD', 'Q', 'DDD', 'w', 'E', 'dddd',
]

const chance = new Chance(20260104)
const moments = [now, Date.UTC(2026, 2, 29, 1), Date.UTC(2025, 9, 26, 0, 30), Date.UTC(2025, 9, 26, 1, 30), Date.UTC(2024, 1, 29, 22, 59, 59, 999), Date.UTC(2000, 11, 31, 23), Date.UTC(1999, 11, 31, 22, 59)]
const randomMoment = () => (chance.next() < 0.2 ? chance.oneOf(moments) : chance.whole(Date.UTC(1901, 0, 1), Date.UTC(2199, 11, 31)))
function randomFormat() {
  if (chance.next() < 0.3) return chance.oneOf(sensible)
  let format = ''
  for (let length = chance.whole(1, 6); length > 0; length -= 1) format += chance.oneOf(tokens) + (chance.next() < 0.7 ? chance.oneOf(between) : '')
  return format
}
/** Changes a text a little, so that it often no longer fits. */
function spoil(text) {
  const at = chance.whole(0, text.length)
  switch (chance.whole(0, 6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1)
    case 1:
      return text.slice(0, at) + chance.oneOf([...'0123456789 .-:aPм月Z+']) + text.slice(at)
    case 2:
      return text.replace(/\d/, () => String(chance.whole(0, 9)))
    case 3:
      return text.toUpperCase()
    case 4:
      return text.toLowerCase()
    case 5:
      return text.replace(/\d\d/, () => String(chance.whole(10, 99)))
    default:
      return text.replace(/\./, '')
  }
}

const cases = []
const formatted = (at, format, locale) => moment(at).locale(locale).format(format)
for (const locale of locales) {
  for (const token of tokens) {
    for (let repeat = 0; repeat < 4; repeat += 1) {
      const at = randomMoment()
      cases.push({ question: { ask: 'format', zone, locale, at, format: token }, expected: formatted(at, token, locale) })
    }
  }
  for (let month = 0; month < 12; month += 1) {
    const at = Date.UTC(2026, month, 1 + 2 * month, 12)
    for (const format of ['MMMM', 'MMM', 'D MMMM', 'D-MMM-YYYY', 'DD [x] MMM', 'Do MMMM', '[В] dddd', '[ в эту ] dddd', 'A h', 'D[MMM]MMM']) {
      cases.push({ question: { ask: 'format', zone, locale, at, format }, expected: formatted(at, format, locale) })
    }
  }
}
for (let count = 0; count < 12000; count += 1) {
  const [locale, at, format] = [chance.oneOf(locales), randomMoment(), randomFormat()]
  cases.push({ question: { ask: 'format', zone, locale, at, format }, expected: formatted(at, format, locale) })
}
for (let count = 0; count < 24000; count += 1) {
  const [locale, at, format] = [chance.oneOf(locales), randomMoment(), randomFormat()]
  let text = formatted(at, format, locale)
  while (chance.next() < 0.4) text = spoil(text)
  const read = moment(text, format, locale, true)
  cases.push({ question: { ask: 'parse', zone, locale, now, text, format }, expected: read.isValid() ? read.valueOf() : null })
}
for (let count = 0; count < 6000; count += 1) {
  const locale = chance.oneOf(locales)
  const reach = chance.oneOf([60e3, 3600e3, 86400e3, 30 * 86400e3, 400 * 86400e3, 30 * 365 * 86400e3])
  const at = now + Math.round((chance.next() * 2 - 1) * reach)
  cases.push({ question: { ask: 'relative', zone, locale, at, now }, expected: moment(at).locale(locale).fromNow() })
}

compare('moment', 'dates', cases, [
  {
    reason: 'years beyond 9999 are no dates',
    is: ({ ask }, expected, answer) => ask === 'parse' && answer === null && Math.abs(expected) > Date.UTC(9999, 11, 30),
  },
])
const readable = cases.filter(({ question, expected }) => question.ask === 'parse' && expected !== null).length
if (readable < 5000) throw new Error(`only ${readable} of the texts to read are dates`)
