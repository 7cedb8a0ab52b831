import { compressionsAlgorithms } from '@platformatic/kafka'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noise } from '../testing/test-records.ts'
import { Lz4BlockWriter } from './lz4-block-writer.ts'

const START = 3

/** The bytes of a block that begins at START of a larger buffer. */
function blockOf(write: (block: Lz4BlockWriter) => void, size = 2 ** 17): Buffer {
  const block = new Lz4BlockWriter(Buffer.alloc(size, 0xee), START)
  write(block)
  block.close()
  return block.bytes.subarray(START, block.end)
}

/** The library decodes a frame of that block: frame header of Lz4FrameWriter, size, block, end mark. */
function decoded(block: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.from('04224d186060510000000000', 'hex').subarray(0, 11), block, Buffer.alloc(4)])
  frame.writeUInt32LE(block.length, 7)
  return compressionsAlgorithms.lz4.decompressSync(frame)
}

function literal(block: Lz4BlockWriter, text: Buffer): void {
  block.literals(text, 0, text.length)
}

test('literals and a match are one sequence each, as the format describes them', () => {
  const block = blockOf((writer) => {
    literal(writer, Buffer.from('abcd'))
    writer.match(20, 4)
    literal(writer, Buffer.from('vwxyz'))
  })

  // Token: 4 literals, match length 15 + 4 and more; literals; distance 4; length 20 - 19. Token: 5 literals, no match.
  assert.equal(block.toString('latin1'), '\x4fabcd\x04\x00\x01\x50vwxyz')
  assert.equal(decoded(block).toString(), 'abcd'.repeat(6) + 'vwxyz')
})

test('bytes, varints and literals of any length are decoded as written', () => {
  for (const length of [0, 1, 14, 15, 16, 40, 41, 269, 270, 271, 600, 70_000]) {
    const text = noise(length)
    const block = blockOf((writer) => {
      writer.byte(7)
      writer.varint(-1)
      writer.varint(300)
      writer.literals(Buffer.concat([Buffer.from('before'), text, Buffer.from('after')]), 6, 6 + length)
      assert.equal(writer.position, 4 + length)
    }, 80_000)

    // 7; the zigzag varints 1 and 600.
    assert.deepEqual(decoded(block), Buffer.concat([Buffer.from([7, 1, 0xd8, 0x04]), text]))
  }
})

test('a prefix becomes a match when the block holds it within 64 KiB, and only then', () => {
  const prefix = noise(300)
  // What follows the first prefix, and whether the second one is a match.
  const cases: readonly (readonly [gap: number, isMatch: boolean])[] = [
    [0, true],
    [100, true],
    [0xffff - 300, true],
    [0xffff - 299, false],
  ]
  for (const [gap, isMatch] of cases) {
    const between = noise(gap)
    const block = blockOf((writer) => {
      writer.prefix(prefix)
      literal(writer, between)
      writer.prefix(prefix)
    })

    assert.deepEqual(decoded(block), Buffer.concat([prefix, between, prefix]))
    assert.equal(block.length < 600 + gap, isMatch, `gap ${gap}`)
  }
})

test('prefixes shorter than 24 bytes are copied', () => {
  for (const [length, isMatch] of [
    [23, false],
    [24, true],
  ] as const) {
    const prefix = noise(length)
    const block = blockOf((writer) => {
      for (let i = 0; i < 100; i++) writer.prefix(prefix)
    })

    assert.deepEqual(decoded(block), Buffer.concat(Array.from({ length: 100 }, () => prefix)))
    assert.equal(block.length < 50 * length, isMatch, `length ${length}`)
  }
})

test('records whose runs change their length are decoded as written, in a buffer that is replaced', () => {
  const prefixes = [noise(50), noise(3000)]
  const expected: Buffer[] = []
  const block = blockOf((writer) => {
    for (let i = 0; i < 60; i++) {
      const rest = noise((i * 97) % 700)
      for (const prefix of prefixes) {
        writer.prefix(prefix)
        literal(writer, rest)
        expected.push(prefix, rest)
      }
      if (i === 30) writer.moveTo(Buffer.concat([writer.bytes, Buffer.alloc(1000)]))
    }
    assert.equal(writer.position, Buffer.concat(expected).length)
  }, 200_000)

  assert.deepEqual(decoded(block), Buffer.concat(expected))
})

test('worded literals are decoded as written; what they overwrite is written afterwards', () => {
  const text = noise(400)
  const view = new DataView(text.buffer, text.byteOffset, text.length)
  const lengths = [8, 0, 1, 7, 8, 9, 14, 15, 16, 127, 128]
  const block = blockOf((writer) => {
    for (const length of lengths) {
      writer.wordedLiterals(view, 50, 50 + length)
      writer.match(8, 8)
      literal(writer, text.subarray(0, 9))
    }
  })

  let expected = Buffer.alloc(0)
  for (const length of lengths) {
    expected = Buffer.concat([expected, text.subarray(50, 50 + length)])
    expected = Buffer.concat([expected, expected.subarray(expected.length - 8), text.subarray(0, 9)])
  }
  assert.deepEqual(decoded(block), expected)
})

test('endMax is never exceeded', () => {
  const prefix = noise(100)
  const cases = [0, 14, 15, 300, 20_000].flatMap((length) => [0, 1, 3].map((records) => ({ length, records })))
  for (const { length, records } of cases) {
    const rest = noise(length)
    const block = new Lz4BlockWriter(Buffer.alloc(2 ** 17), START)
    for (let i = 0; i < records; i++) {
      const endMax = block.endMax(prefix.length + length)
      block.prefix(prefix)
      literal(block, rest)
      assert.ok(block.end <= endMax, `${length} bytes: ${block.end} of ${endMax}`)
    }
    const endMax = block.endMax(length)
    literal(block, rest)
    block.close()
    assert.ok(block.end <= endMax, `${length} bytes and close: ${block.end} of ${endMax}`)
  }
})

test('the next block does not refer to the one before it', () => {
  const prefix = noise(300)
  const block = new Lz4BlockWriter(Buffer.alloc(2 ** 12), START)
  block.prefix(prefix)
  block.close()
  const start = block.end
  block.begin(start)
  assert.equal(block.position, 0)
  block.prefix(prefix)
  block.close()

  assert.deepEqual(decoded(block.bytes.subarray(start, block.end)), prefix)
})
