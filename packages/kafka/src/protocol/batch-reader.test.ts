import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readBatches, readRecords } from './batch-reader.ts'

/** The input of Java's console producer, see fixtures/README.md. */
const written = Array.from({ length: 1200 }, (_, i) => ({
  key: `key-${i}`,
  value: `value ${i} ${`abc${i % 50} `.repeat(i % 40)}`,
  headers: [
    ['h1', `v${i % 3}`],
    ['h2', 'x'],
  ],
}))

function segment(codec: string): Buffer {
  return readFileSync(new URL(`../../fixtures/java-batches/${codec}.segment`, import.meta.url))
}

for (const [attribute, codec] of ['none', 'gzip', 'snappy', 'lz4', 'zstd'].entries()) {
  test(`batches of Java with ${codec} are read`, () => {
    const batches = readBatches(segment(codec))

    const records = batches.flatMap((batch) => {
      assert.equal(batch.attributes & 7, attribute)
      return readRecords(batch).map((record) => ({ ...record, offset: Number(batch.baseOffset) + record.offsetDelta }))
    })
    assert.deepEqual(
      records.map(({ key, value, headers }) => ({
        key: String(key),
        value: String(value),
        headers: headers.map((header) => [String(header.key), String(header.value)]),
      })),
      written,
    )
    assert.deepEqual(
      records.map(({ offset }) => offset),
      written.map((_, i) => i),
    )
    assert.equal(batches.at(-1)?.lastOffset, 1199n)
    for (const { timestamp } of records) assert.ok(timestamp > 1.7e12 && timestamp < 2.1e12)
  })
}

test('a batch that is cut at the end of a Fetch response is skipped', () => {
  const bytes = segment('gzip')
  const whole = readBatches(bytes).length

  assert.equal(readBatches(bytes.subarray(0, bytes.length - 1)).length, whole - 1)
  assert.equal(readBatches(bytes.subarray(0, 11)).length, 0)
  assert.equal(readBatches(Buffer.alloc(0)).length, 0)
})

test('a damaged byte anywhere after the checksum is detected', () => {
  for (const at of [21, 30, 57, 61, 100]) {
    const bytes = segment('none')
    bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at)
    assert.throws(() => readBatches(bytes), { name: 'RangeError', message: /checksum/ }, `byte ${at}`)
  }
})

test('the message formats before Kafka 0.11 are an error', () => {
  const bytes = segment('none')
  bytes.writeInt8(1, 16)

  assert.throws(() => readBatches(bytes), /message format 1 at offset 0/)
})
