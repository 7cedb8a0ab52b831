import { ByteWriter } from '@tributary/support'
import { decimalReader } from '../../binlog/number-readers.ts'
import { writeJsonText } from '../../binlog/json-binary.ts'
import { writePatchedJson } from '../../binlog/json-patch.ts'
import { RowCursor } from '../../binlog/row-cursor.ts'
import { parseTableMap } from '../../binlog/table-map.ts'
import { tableMapDetails } from '../../binlog/table-map-details.ts'
import { EventType } from '../../binlog/event-type.ts'
import { capturedBinlog, withoutChecksums } from '../captured-binlog.ts'
import { textTarget } from '../text-targets.ts'
import { isRangeError, type Seed, type Surface } from './surface.ts'

const seedOf = (bytes: Buffer): Seed => ({ bytes, context: [] })
const HEADER_BYTES = 19

/** The text of a document is at most six times as long, but for offsets of a damaged one, and numbers. */
const TEXT_BYTES_MAX = 1 << 22

function textLimit(out: ByteWriter): void {
  if (out.position > TEXT_BYTES_MAX) throw new Error(`a JSON text of ${out.position} bytes`)
}

/** Binary documents by their grammar (json-binary.ts); a comment per field. */
const DOCUMENTS: readonly Buffer[] = [
  // Object of two members: count, size, key entries (offset, length), value entries (type, value or offset), keys, values
  Buffer.from([0, 2, 0, 24, 0, 18, 0, 1, 0, 19, 0, 1, 0, 5, 1, 0, 12, 20, 0, 0x61, 0x62, 3, 0x78, 0x79, 0x7a]),
  // Array of a number, a literal and an array
  Buffer.from([2, 3, 0, 20, 0, 5, 7, 0, 4, 1, 0, 2, 13, 0, 1, 0, 7, 0, 5, 9, 0]),
  // Large array of a number
  Buffer.from([3, 1, 0, 0, 0, 13, 0, 0, 0, 7, 1, 2, 3, 4]),
  // Opaque decimal 1.50: type, length, precision, scale, digits
  Buffer.from([15, 246, 4, 3, 2, 0x81, 50]),
  // Opaque time, double, int64
  Buffer.from([15, 11, 8, 0, 0, 0, 0, 0x12, 0x34, 0, 0]),
  Buffer.from([11, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f]),
  Buffer.from([9, 1, 2, 3, 4, 5, 6, 7, 8]),
]

/** `$.a` becomes 2; `$[0]` is removed; `$.b` gets a text: operation, path, document. */
const DIFFS: readonly Buffer[] = [
  Buffer.concat([Buffer.from([0, 3]), Buffer.from('$.a'), Buffer.from([3, 5, 2, 0])]),
  Buffer.concat([Buffer.from([2, 4]), Buffer.from('$[0]')]),
  Buffer.concat([Buffer.from([1, 3]), Buffer.from('$.c'), Buffer.from([3, 12, 1, 0x78])]),
  Buffer.concat([Buffer.from([1, 7]), Buffer.from('$[2][1]'), Buffer.from([3, 5, 2, 0])]),
]

export const json: Surface = {
  name: 'binary JSON',
  isText: false,
  seeds: DOCUMENTS.map(seedOf),
  run(input) {
    const out = new ByteWriter()
    writeJsonText(input, 0, input.length, out)
    textLimit(out)
  },
  isExpected: isRangeError,
}

/** The first byte is the size of the document, the changes follow it. */
export const jsonChanges: Surface = {
  name: 'changes of binary JSON',
  isText: false,
  seeds: DOCUMENTS.flatMap((document) =>
    DIFFS.map((diff) => seedOf(Buffer.concat([Buffer.from([document.length]), document, diff, ...DIFFS]))),
  ),
  run(input) {
    const end = Math.min(input.length, 1 + (input[0] ?? 0))
    const out = new ByteWriter()
    writePatchedJson(input, { start: Math.min(1, end), end }, { start: end, end: input.length }, out)
    textLimit(out)
  },
  isExpected: isRangeError,
}

/** Precision and scale, then digits. */
export const decimals: Surface = {
  name: 'packed decimals',
  isText: false,
  seeds: [
    Buffer.from([10, 2, 0x80, 0, 0, 1, 50]),
    Buffer.from([65, 30, ...Array.from({ length: 30 }, () => 0x7f)]),
  ].map(seedOf),
  run(input) {
    const cursor = new RowCursor()
    cursor.bytes = input
    cursor.at = 2
    cursor.end = input.length
    const precision = Math.min(65, input[0] ?? 0)
    const target = textTarget('decimal')
    if (target.kind === 'decimal') decimalReader(target, precision, Math.min(precision, 30, input[1] ?? 0))(cursor)
    // The owner of the event checks its end after each image.
    if (cursor.at > cursor.end) throw new RangeError('it is longer than the event')
  },
  isExpected: isRangeError,
}

export const tableMaps: Surface = {
  name: 'table maps',
  isText: false,
  seeds: (['mysql.01', 'mariadb.01'] as const).flatMap((name) =>
    withoutChecksums(capturedBinlog(name).events)
      .filter((event) => event[4] === EventType.tableMap)
      .map((event) => seedOf(event.subarray(HEADER_BYTES))),
  ),
  run: (input) => void tableMapDetails(parseTableMap(input, 0, input.length)),
  isExpected: isRangeError,
}
