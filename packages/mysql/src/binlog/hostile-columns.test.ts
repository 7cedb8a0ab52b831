import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { seededRandom } from '@tributary/testkit'
import { textTarget } from '../testing/text-targets.ts'
import type { ColumnKind } from '../values/column-target.ts'
import { columnReader } from './column-readers.ts'
import { ColumnTypeCode } from './column-type.ts'
import { earlyValue } from './early-value.ts'
import { RowCursor } from './row-cursor.ts'
import { ByteWriter } from '@tributary/support'

const { geometry, vector, string, compressedBlob, compressedVarchar } = ColumnTypeCode

/** Wire type, metadata, target, and the bytes of a value. */
const COLUMNS: readonly (readonly [type: number, meta: number, kind: ColumnKind, value: Buffer])[] = [
  [geometry, 4, 'geometry', Buffer.from(`1900000000000000${'0101000000000000000000f03f00000000000004c0'}`, 'hex')],
  [vector, 4, 'vector', Buffer.from('080000000000803f00002040', 'hex')],
  [string, 16, 'uuid', Buffer.from('0e123e4567e89b12d3a45642665544', 'hex')],
  [string, 16, 'inet6', Buffer.from('1000000000000000000000000000000001', 'hex')],
  [string, 4, 'inet4', Buffer.from('03010203', 'hex')],
  [
    compressedBlob,
    2,
    'binary',
    lengthPrefixed(Buffer.concat([Buffer.from('82012c', 'hex'), deflateSync(Buffer.alloc(300, 'ab'))])),
  ],
  [compressedVarchar, 501, 'text', lengthPrefixed(Buffer.from('006162'))],
]

function lengthPrefixed(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([bytes.length & 0xff, bytes.length >> 8]), bytes])
}

test('a value that is cut, changed or random is read within its event, or is an error', () => {
  const random = seededRandom()
  const out = new ByteWriter()
  for (const [type, meta, kind, value] of COLUMNS) {
    const column = { type, meta }
    const target = textTarget(kind)
    const result = columnReader(column, target)
    assert.ok(result.tag === 'reader')
    const early = earlyValue(column, target)
    assert.ok(early !== null, kind)
    for (let i = 0; i < 10_000; i++) {
      const bytes = i % 3 === 0 ? random.bytes(random.integer(4, 40)) : Buffer.concat([value, Buffer.alloc(4)])
      if (i % 3 === 1) bytes[random.integer(0, bytes.length)] = random.integer(0, 256)
      const end = i % 3 === 2 ? random.integer(0, value.length) : value.length
      const cursor = new RowCursor()
      cursor.bytes = bytes
      cursor.end = Math.min(end, bytes.length)
      try {
        result.reader(cursor)
        assert.ok(cursor.at <= cursor.end)
        out.reset()
        const at = random.integer(0, bytes.length)
        if (early.tag === 'checks') early.check(bytes, at, bytes.length)
        else early.write(bytes, at, bytes.length, out)
        assert.ok(out.position <= 65_535)
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error))
      }
    }
  }
})
