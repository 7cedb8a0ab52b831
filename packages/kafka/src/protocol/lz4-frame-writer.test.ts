import { compressionsAlgorithms } from '@platformatic/kafka'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noise } from '../testing/test-records.ts'
import { BLOCK_BYTES_MAX, Lz4FrameWriter } from './lz4-frame-writer.ts'

const START = 61

test('an empty frame is its header, an empty block and the end mark', () => {
  const bytes = Buffer.alloc(100, 0xee)
  const end = new Lz4FrameWriter(bytes, START).finish()

  // Magic, flags, block size, checksum; a block of one byte, the token of no literals; end mark.
  assert.equal(bytes.subarray(START, end).toString('hex'), '04224d18606051' + '01000000' + '00' + '00000000')
})

test('the library decodes the blocks of a frame, and endMax is never exceeded', () => {
  const frame = new Lz4FrameWriter(Buffer.alloc(2 ** 20), START)
  const prefix = noise(500)
  const expected: Buffer[] = []
  let endMax = 0
  for (let i = 0; i < 300; i++) {
    const text = noise(i)
    endMax = frame.endMax(prefix.length + text.length)
    if (i % 100 === 99) frame.nextBlock()
    frame.block.prefix(prefix)
    frame.block.literals(text, 0, text.length)
    expected.push(prefix, text)
    assert.ok(frame.block.end <= endMax)
  }
  assert.equal(frame.position, Buffer.concat(expected).length)
  const end = frame.finish()

  assert.ok(end <= Lz4FrameWriter.bufferBytes(endMax))
  assert.deepEqual(
    compressionsAlgorithms.lz4.decompressSync(frame.block.bytes.subarray(START, end)),
    Buffer.concat(expected),
  )
})

test('a block has room up to 1 MiB, uncompressed and compressed', () => {
  const frame = new Lz4FrameWriter(Buffer.alloc(2 ** 21), START)
  const text = noise(1000)
  let count = 0
  while (frame.blockHasRoom(text.length, frame.endMax(text.length))) {
    frame.block.literals(text, 0, text.length)
    count += 1
  }

  // Literals grow by a byte in 255: the compressed size is what ends the block.
  assert.ok(frame.position + text.length < BLOCK_BYTES_MAX)
  assert.ok(frame.position > BLOCK_BYTES_MAX * 0.99, `${count} texts`)
  assert.ok(frame.block.end - START <= BLOCK_BYTES_MAX)
})
