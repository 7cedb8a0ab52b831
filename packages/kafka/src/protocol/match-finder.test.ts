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

/** The matches of a text, which must be the same when it is searched in place. */
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

test('each match is correct, has its greatest length, and ends before the last five bytes', () => {
  const piece = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 80 }), fc.integer({ min: 1, max: 60 }))
  const text = fc
    .array(piece, { minLength: 1, maxLength: 10 })
    .map((pieces) => Buffer.concat(pieces.flatMap(([bytes, count]) => Array.from({ length: count }, () => bytes))))
    .filter(({ length }) => length <= SEARCHED_BYTES_MAX)
  fc.assert(
    fc.property(text, (bytes) => {
      let end = 0
      for (const { at, length, distance } of matchesOf(bytes)) {
        assert.ok(at >= end && length >= 16 && distance > 0 && distance <= at, `${at} ${length} ${distance}`)
        end = at + length
        assert.ok(end <= bytes.length - 5)
        const earlier = bytes.subarray(at - distance, end - distance)
        assert.ok(bytes.subarray(at, end).equals(earlier))
        assert.ok(end === bytes.length - 5 || bytes[end] !== bytes[end - distance])
      }
    }),
    { numRuns: 1000 },
  )
})

test('a repeated sentence is one match from its second occurrence on', () => {
  const text = Buffer.from('Größe 12345 漢字 Ελλάδα 😀. '.repeat(40))
  const period = text.length / 40
  assert.deepEqual(matchesOf(text), [{ at: period, length: text.length - period - 5, distance: period }])
})

test('earlier texts and the bytes around a text are not matched', () => {
  const sentence = noise(300)
  const around = Buffer.concat([sentence, sentence, sentence])
  assert.deepEqual(matchesOf(sentence), [])
  assert.deepEqual(matchesOf(sentence), [])
  assert.deepEqual(matchesOf(around, 300, 600), [])
  assert.equal(matchesOf(around).length, 1)
})

test('the search stops after the first KiB when half of it does not repeat', () => {
  const repeating = Buffer.alloc(4000, 'once more, ')
  assert.deepEqual(matchesOf(Buffer.concat([noise(1100), repeating])), [])
  assert.equal(matchesOf(Buffer.concat([noise(400), repeating])).length, 1)
})

test('after two GiB of texts matches are still within the current text', () => {
  const text = Buffer.from('a sentence that repeats, '.repeat(100))
  const before = matchesOf(text)
  const large = noise(SEARCHED_BYTES_MAX)
  for (let bytes = 0; bytes <= 2 ** 31 + SEARCHED_BYTES_MAX; bytes += large.length) {
    assert.equal(finder.find(large, 0, large.length), 0)
  }
  assert.deepEqual(matchesOf(text), before)
})

test('the matches of the longest text with the most matches have room', () => {
  const text = Buffer.alloc(SEARCHED_BYTES_MAX)
  // Sixteen letters that repeat, each time followed by a different byte.
  for (let i = 0; i < text.length; i++) text[i] = i % 17 === 16 ? (i * i) >> 5 : 97 + (i % 17)
  const matches = matchesOf(text)
  assert.ok(matches.length > 1000, String(matches.length))
  const last = matches.at(-1)
  assert.ok(last !== undefined && last.at + last.length <= text.length - 5)
})

test('without WebAssembly there is no match finder', () => {
  assert.equal(MatchFinder.load('AAAA'), null)
})
