import { ByteWriter, present, SharedMemory } from '@tributary/support'
import fc from 'fast-check'
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { test } from 'node:test'
import { copyShortUtf8 } from './json-utf8.ts'
import { Utf8Escaper } from './utf8-escaper.ts'

/**
 * The inside of a JSON string as Java's converter writes it: as JSON.stringify does, with escaped surrogates and
 * upper-case digits.
 */
function expected(text: string): string {
  return text.split('').map(writtenUnit).join('')
}

function writtenUnit(unit: string): string {
  const code = unit.charCodeAt(0)
  if (code >= 0xd800 && code <= 0xdfff) return `\\u${code.toString(16).toUpperCase()}`
  const written = JSON.stringify(unit).slice(1, -1)
  return written.startsWith('\\u') ? `\\u${written.slice(2).toUpperCase()}` : written
}

const escaper = present(Utf8Escaper.load(), 'WebAssembly')

const textBuffer = present(SharedMemory.ofThread()?.allocateBuffer(500_000), 'WebAssembly')

/**
 * Returns what the escaper appends for bytes in the middle of a buffer; null when it reports invalid UTF-8. Asserts the
 * same result for a writer in the text buffer, where the escaper writes in place: at the start of the buffer, and at
 * its end, where the room is too small.
 */
function escaped(text: Uint8Array): string | null {
  const written = escapedInto(new ByteWriter(8), text)
  for (const start of [0, textBuffer.length - 100 - text.length]) {
    if (start < 0) continue
    const out = new ByteWriter(textBuffer)
    out.position = start
    assert.equal(escapedInto(out, text), written)
  }
  return written
}

function escapedInto(out: ByteWriter, text: Uint8Array): string | null {
  const start = out.position
  out.ascii('before')
  const around = Buffer.concat([Buffer.from('é'), text, Buffer.from('ü')])
  const isText = escaper.write(around, 2, around.length - 2, out)
  const written = out.copy(start).toString()
  assert.ok(written.startsWith('before'))
  if (!isText) assert.equal(written, 'before')
  return isText ? written.slice('before'.length) : null
}

const character = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 20 }) },
  fc.constantFrom('"', '\\', '\n', '\0', '\u001f', '\u007f', '\u2028'),
  fc.integer({ min: 0x80, max: 0x7ff }).map((code) => String.fromCodePoint(code)),
  fc.constantFrom('\u0800', '\ud7ff', '\ue000', '\uffff', '漢', '\u{10000}', '😀', '\u{10ffff}'),
)
const text = fc.array(character, { maxLength: 60 }).map((parts) => parts.join(''))

test('texts with characters of any length are escaped at every position of a block of sixteen bytes', () => {
  fc.assert(
    fc.property(text, (each) => assert.equal(escaped(Buffer.from(each)), expected(each))),
    { numRuns: 5000 },
  )
})

test('exactly the bytes that are not valid UTF-8 are refused', () => {
  const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
  const broken = fc.tuple(text, fc.array(change, { maxLength: 3 }), fc.nat()).map(([whole, changes, cut]) => {
    const bytes = Buffer.from(whole)
    for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte
    return bytes.subarray(0, cut % 3 === 0 ? cut % (bytes.length + 1) : bytes.length)
  })
  fc.assert(
    fc.property(broken, (bytes) =>
      assert.equal(escaped(bytes), isUtf8(bytes) ? expected(bytes.toString('utf8')) : null),
    ),
    { numRuns: 5000 },
  )
})

test('any two bytes, with up to two after them, are validated across the border of two blocks', () => {
  const bytes = Buffer.alloc(32, 'a')
  for (const trailing of [0, 1, 2]) {
    for (let pair = 0; pair < 0x1_00_00; pair++) {
      bytes.fill('a')
      bytes.writeUInt16BE(pair, 15)
      bytes.fill(0x80, 17, 17 + trailing)
      assert.equal(escaped(bytes) !== null, isUtf8(bytes), bytes.toString('hex'))
    }
  }
})

test('a text of more than 64 KiB is split between characters', () => {
  for (let shift = 0; shift < 4; shift++) {
    const long = 'x'.repeat(shift) + '😀'.repeat(50_000)
    assert.equal(escaped(Buffer.from(long)), expected(long))
    const broken = Buffer.from(long)
    broken[1 << 16] = 0x41
    assert.equal(escaped(broken), null)
  }
})

test('without WebAssembly, long texts are written like short ones', () => {
  assert.equal(Utf8Escaper.load('bm8gbW9kdWxl'), null)
  fc.assert(
    fc.property(text, (each) => {
      const bytes = Buffer.from(each.repeat(4))
      const out = new ByteWriter(8)
      assert.equal(copyShortUtf8(bytes, 0, bytes.length, out), true)
      assert.equal(out.copy().toString(), escaped(bytes))
    }),
  )
})

test('a text whose result is six times as long has enough room', () => {
  const controls = '\u0001'.repeat(150_000)
  assert.equal(escaped(Buffer.from(controls)), expected(controls))
})
