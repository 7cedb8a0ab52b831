import { type SeededRandom, seededRandom } from '@tributary/testkit'
import * as fzstd from 'fzstd'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { constants, deflateSync, zstdCompressSync } from 'node:zlib'
import type { ByteCursor } from './decompressor.ts'
import { Inflater } from './inflater.ts'
import { javaScriptZstd, nativeZstd, type Zstd } from './zstd.ts'

const SEED = 20_261_125

test('this Node has the members of its streams that are used', () => {
  assert.ok(nativeZstd() !== null, 'adapt zlib-handle.ts to this version of Node')
  const inflater = new Inflater()
  const value = deflateSync(Buffer.from('value'))
  const output = cursorOf(Buffer.alloc(6))
  inflater.run(cursorOf(value), output)
  assert.equal(output.bytes.latin1Slice(0, output.at), 'value')
})

const IMPLEMENTATIONS: Readonly<Record<string, Zstd | null>> = {
  'of Node': nativeZstd(),
  'in JavaScript': javaScriptZstd(fzstd),
}

for (const [name, zstd] of Object.entries(IMPLEMENTATIONS)) {
  suite(`zstd ${name}`, () => {
    test('what libzstd compressed is decompressed in parts of any size, one value after the other', () => {
      assert.ok(zstd !== null)
      const random = seededRandom(SEED)
      const decompressor = zstd.create()
      for (let i = 0; i < 60; i++) {
        const value = randomValue(random.integer(1, i % 10 === 0 ? 700_000 : 3_000), random)
        const { ZSTD_c_compressionLevel: level, ZSTD_c_checksumFlag: checksum } = constants
        const params = { [level]: random.integer(-3, 12), [checksum]: random.integer(0, 2) }
        const compressed = zstdCompressSync(value, { params })
        const input = cursorOf(compressed)
        const output = Buffer.alloc(value.length)
        let at = 0
        while (at < value.length) {
          const part = { bytes: output, at, end: Math.min(value.length, at + random.integer(1, 90_000)) }
          decompressor.run(input, part)
          assert.ok(part.at > at, `value ${i} stops at ${at} of ${value.length}`)
          at = part.at
        }
        const beyond = cursorOf(Buffer.alloc(1))
        while (input.at < input.end) decompressor.run(input, beyond)
        assert.equal(beyond.at, 0)
        assert.ok(output.equals(value), `value ${i} of ${value.length} bytes`)
      }
    })

    // Data has no checksum of its own: that of the event covers it.
    test('damaged data is an error or another value, and never an endless loop', () => {
      assert.ok(zstd !== null)
      const random = seededRandom(SEED + 1)
      const compressed = zstdCompressSync(randomValue(5_000, random))
      let errors = 0
      for (let i = 0; i < 400; i++) {
        const damaged = Buffer.from(compressed)
        const at = random.integer(0, damaged.length)
        damaged[at] = (damaged[at] as number) ^ (1 << random.integer(0, 8))
        const [input, output] = [cursorOf(damaged), cursorOf(Buffer.alloc(6_000))]
        const decompressor = zstd.create()
        try {
          for (let before = -1; before < input.at + output.at;) {
            before = input.at + output.at
            decompressor.run(input, output)
          }
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error))
          errors += 1
        }
      }
      assert.ok(errors > 0, 'no damage was detected')
    })
  })
}

for (const [name, inflater] of [
  ['of Node', new Inflater()],
  ['without its handle', new Inflater(() => null)],
] as const) {
  suite(`inflating ${name}`, () => {
    const value = Buffer.from('compressible '.repeat(500))
    const compressed = deflateSync(value)

    function inflated(bytes: Buffer, room: number): string {
      const [input, output] = [cursorOf(bytes), cursorOf(Buffer.alloc(room))]
      inflater.run(input, output)
      return `${input.at} ${output.at} ${output.bytes.subarray(0, output.at).equals(value)}`
    }

    test('a value is inflated, and bytes after it are not read', () => {
      const expected = `${compressed.length} ${value.length} true`
      assert.equal(inflated(compressed, value.length + 1), expected)
      assert.equal(inflated(Buffer.concat([compressed, compressed]), value.length + 1), expected)
    })

    test('each damaged byte and each cut is an error', () => {
      for (let at = 0; at < compressed.length; at++) {
        const damaged = Buffer.from(compressed)
        damaged[at] = (damaged[at] as number) ^ 0x10
        // The level in the second byte has no meaning for the reader.
        if (at !== 1) assert.throws(() => isWhole(damaged), RangeError, `byte ${at}`)
        assert.throws(() => isWhole(compressed.subarray(0, at)), RangeError, `cut to ${at}`)
      }
      assert.equal(inflated(compressed, value.length + 1), `${compressed.length} ${value.length} true`)
    })

    /** Damage may also lead to a longer value, which fills the room. */
    function isWhole(bytes: Buffer): void {
      const [input, output] = [cursorOf(bytes), cursorOf(Buffer.alloc(value.length + 1))]
      inflater.run(input, output)
      if (output.at !== value.length || input.at !== input.end) throw new RangeError('another length')
    }
  })
}

function cursorOf(bytes: Buffer): ByteCursor {
  return { bytes, at: 0, end: bytes.length }
}

/** Repeated words between random bytes. */
function randomValue(size: number, random: SeededRandom): Buffer {
  const words = Array.from({ length: 20 }, () =>
    Buffer.from(Array.from({ length: random.integer(1, 40) }, () => random.integer(0, 256))),
  )
  const parts: Buffer[] = []
  for (let length = 0; length < size; length += parts.at(-1)?.length ?? 0) parts.push(random.pick(words))
  return Buffer.concat(parts).subarray(0, size)
}
