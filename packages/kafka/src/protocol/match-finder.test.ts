import { present, SharedMemory } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noise } from '../testing/test-records.ts'
import { MatchFinder, SEARCHED_BYTES_MAX } from './match-finder.ts'

const finder = present(MatchFinder.load(), 'WebAssembly')

interface Match {
  readonly at: number
  readonly length: number
  readonly distance: number
}

const textBuffer = present(SharedMemory.ofThread()?.allocateBuffer(100_000), 'WebAssembly')
const TEXT_AT = 777

/** The same where the text stands in the buffer that is searched in place. */
function matchesOf(text: Buffer, start = 0, end: number = text.length): readonly Match[] {
  const matches = found(text, start, end)
  text.copy(textBuffer, TEXT_AT)
  assert.deepEqual(found(textBuffer, TEXT_AT + start, TEXT_AT + end), matches)
  return matches
}

function found(text: Buffer, start: number, end: number): readonly Match[] {
  const count = finder.find(text, start, end)
  return Array.from({ length: count }, (_, i) => {
    const [at = -1, length = -1, distance = -1] = finder.matches.subarray(3 * i, 3 * i + 3)
    return { at, length, distance }
  })
}

test('each match is a true one, as long as it can be, before the five bytes at the end', () => {
  const piece = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 80 }), fc.integer({ min: 1, max: 60 }))
  const text = fc
    .array(piece, { minLength: 1, maxLength: 10 })
    .map((pieces) => Buffer.concat(pieces.flatMap(([bytes, count]) => Array.from({ length: count }, () => bytes))))
    .filter(({ length }) => length <= SEARCHED_BYTES_MAX)
  fc.assert(
    fc.property(text, (bytes) => {
      let behind = 0
      for (const { at, length, distance } of matchesOf(bytes)) {
        assert.ok(at >= behind && length >= 16 && distance > 0 && distance <= at, `${at} ${length} ${distance}`)
        behind = at + length
        assert.ok(behind <= bytes.length - 5)
        const earlier = bytes.subarray(at - distance, behind - distance)
        assert.ok(bytes.subarray(at, behind).equals(earlier))
        assert.ok(behind === bytes.length - 5 || bytes[behind] !== bytes[behind - distance])
      }
    }),
    { numRuns: 1000 },
  )
})

test('a text that says the same again is one match from its second time on', () => {
  const text = Buffer.from('Größe 12345 漢字 Ελλάδα 😀. '.repeat(40))
  const period = text.length / 40
  assert.deepEqual(matchesOf(text), [{ at: period, length: text.length - period - 5, distance: period }])
})

test('what stood in an earlier text, or around this one, is not in it', () => {
  const sentence = noise(300)
  const around = Buffer.concat([sentence, sentence, sentence])
  assert.deepEqual(matchesOf(sentence), [])
  assert.deepEqual(matchesOf(sentence), [])
  assert.deepEqual(matchesOf(around, 300, 600), [])
  assert.equal(matchesOf(around).length, 1)
})

test('a text of which half of the first KiB is new is given up', () => {
  const repeating = Buffer.alloc(4000, 'once more, ')
  assert.deepEqual(matchesOf(Buffer.concat([noise(1100), repeating])), [])
  assert.equal(matchesOf(Buffer.concat([noise(400), repeating])).length, 1)
})

test('after two GiB of texts matches are still those of the text at hand', () => {
  const text = Buffer.from('what is said again and again, '.repeat(100))
  const before = matchesOf(text)
  const large = noise(SEARCHED_BYTES_MAX)
  for (let bytes = 0; bytes <= 2 ** 31 + SEARCHED_BYTES_MAX; bytes += large.length) {
    assert.equal(finder.find(large, 0, large.length), 0)
  }
  assert.deepEqual(matchesOf(text), before)
})

test('a text of the greatest length, matched as often as can be, has room', () => {
  const text = Buffer.alloc(SEARCHED_BYTES_MAX)
  // Sixteen letters that come again and again, and one byte that is another each time.
  for (let i = 0; i < text.length; i++) text[i] = i % 17 === 16 ? (i * i) >> 5 : 97 + (i % 17)
  const matches = matchesOf(text)
  assert.ok(matches.length > 1000, String(matches.length))
  const last = matches.at(-1)
  assert.ok(last !== undefined && last.at + last.length <= text.length - 5)
})

test('where there is no WebAssembly there is no search', () => {
  assert.equal(MatchFinder.load('AAAA'), null)
})
