// lz-string: what Excalidraw drawings are compressed with, in both directions.
import lz from 'lz-string'
import { Chance, compare } from '../harness.mjs'

const chance = new Chance(20260117)
const alphabets = ['ab', '01{}[]":,\n\t ', 'abcdefghijklmnopqrstuvwxyz ', 'aé灯台ß', '👩🚀𝄞x', '\u0000\u00ff\u0100\uffff'].map((letters) => [...letters])
const words = ['"type": "text"', '"x": 12.5,\n\t\t\t', '"versionNonce": ', '"strokeColor": "#1e1e1e"', '[[Lamp]]', '"id": "', '\t\t{\n', '},\n']

function randomText(longest) {
  let text = ''
  const length = chance.whole(0, longest)
  const alphabet = chance.oneOf(alphabets)
  const isScene = chance.next() < 0.4
  while (text.length < length) text += isScene && chance.next() < 0.8 ? chance.oneOf(words) : chance.oneOf(alphabet)
  return text
}

const texts = ['', 'a', 'aa', 'aaa', 'a'.repeat(10000), 'abcabcabc', '{"a":1}', '\u0000', '\uffff']
for (let number = 0; number < 4000; number += 1) texts.push(randomText(chance.next() < 0.1 ? 5000 : 120))

const cases = []
for (const text of texts) {
  const letters = lz.compressToBase64(text)
  cases.push({ question: { ask: 'compress', text }, expected: letters })
  cases.push({ question: { ask: 'decompress', letters }, expected: text })
  // As notes hold it.
  cases.push({ question: { ask: 'decompress', letters: letters.replace(/(.{256})/g, '$1\n\n') }, expected: text })
}
/** The library throws on some damaged data, and has no answer to other. */
function decompressed(letters) {
  try {
    return lz.decompressFromBase64(letters) ?? ''
  } catch {
    return ''
  }
}
// Damaged data is refused, or means what it means to the library.
for (let number = 0; number < 2000; number += 1) {
  const letters = lz.compressToBase64(randomText(60))
  const at = chance.whole(0, letters.length - 1)
  const damaged = letters.slice(0, at) + chance.oneOf([...'AZaz09+/']) + letters.slice(at + 1)
  cases.push({ question: { ask: 'decompress', letters: damaged, damaged: true }, expected: decompressed(damaged) })
}

compare('lz-string', 'lz_string', cases, [
  {
    reason: 'damaged data is refused, where the library returns nothing or what it had so far',
    is: (question, expected, answer) => question.damaged && answer === null,
  },
  {
    reason: 'damaged data that makes half of a character, which JSON cannot hold',
    is: (question, expected, answer) => question.damaged && typeof answer === 'string' && answer === expected.toWellFormed(),
  },
])
