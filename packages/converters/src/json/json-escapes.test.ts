import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasUnplainByte, isPlain, writeEscape } from './json-escapes.ts'

/** True for an ASCII character that JSON.stringify does not escape. */
function standsForItself(byte: number): boolean {
  const character = String.fromCharCode(byte)
  return byte < 0x80 && JSON.stringify(character) === `"${character}"`
}

test('a byte is plain when JSON does not escape it', () => {
  for (let byte = 0; byte < 0x100; byte++) assert.equal(isPlain(byte), standsForItself(byte), `${byte}`)
})

test('four bytes are plain when each of them is, for every position of the unplain byte and every neighbour', () => {
  const neighbours = [0x20, 0x21, 0x23, 0x5b, 0x5d, 0x61, 0x7e, 0x7f]
  for (const neighbour of neighbours) {
    for (let byte = 0; byte < 0x100; byte++) {
      for (const shift of [0, 8, 16, 24]) {
        const around = Math.imul(neighbour, 0x0101_0101) & ~(0xff << shift)
        assert.equal(hasUnplainByte(around | (byte << shift)), !standsForItself(byte), `${neighbour} ${byte} ${shift}`)
      }
    }
  }
})

test('two unplain bytes do not cancel each other', () => {
  const odd = Array.from({ length: 0x100 }, (_, byte) => byte).filter((byte) => !standsForItself(byte))
  for (const first of odd) for (const second of odd) assert.ok(hasUnplainByte(0x6161_0000 | (second << 8) | first))
})

test('escapes are those of JSON, with hexadecimal digits in upper case', () => {
  for (let unit = 0; unit < 0x80; unit++) {
    if (standsForItself(unit)) continue
    const target = Buffer.alloc(6)
    const text = target.toString('latin1', 0, writeEscape(unit, target, 0))

    assert.equal(JSON.parse(`"${text}"`), String.fromCharCode(unit))
    assert.equal(text.toLowerCase(), JSON.stringify(String.fromCharCode(unit)).slice(1, -1))
    assert.match(text, /^\\([btnfr"\\]|u[0-9A-F]{4})$/)
  }
})
