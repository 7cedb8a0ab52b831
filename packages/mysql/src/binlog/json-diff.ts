import { readLengthEncoded, type LengthCursor } from '../types/length-encoded.ts'
import { type JsonStep, parseJsonPath } from './json-path.ts'

/** A change of a JSON document, as binlog_row_value_options=PARTIAL_JSON writes it. */
export type JsonDiff =
  /** The value at the path becomes another one. */
  | { readonly tag: 'replace'; readonly path: readonly JsonStep[]; readonly value: ByteRange }
  /** The object gets a new member, or the array a new element before the one at the path. */
  | { readonly tag: 'insert'; readonly path: readonly JsonStep[]; readonly value: ByteRange }
  | { readonly tag: 'remove'; readonly path: readonly JsonStep[] }

/** A binary document within the bytes of an event. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads the changes of one document, which follow their size (json_diff.cc, Json_diff::write_binary): int<1> operation ·
 * string<lenenc> path · string<lenenc> binary document, unless something is removed. Throws RangeError for other bytes.
 */
export function* readJsonDiffs(bytes: Buffer, { start, end }: ByteRange): Generator<JsonDiff> {
  const cursor: LengthCursor = { at: start }
  while (cursor.at < end) {
    const operation = bytes[cursor.at] as number
    cursor.at += 1
    const name = takeRange(bytes, cursor, end)
    const path = parseJsonPath(bytes, name.start, name.end)
    switch (operation) {
      case REPLACE:
        yield { tag: 'replace', path, value: takeRange(bytes, cursor, end) }
        break
      case INSERT:
        yield { tag: 'insert', path, value: takeRange(bytes, cursor, end) }
        break
      case REMOVE:
        yield { tag: 'remove', path }
        break
      default:
        throw new RangeError(`${operation} is not an operation on a JSON document`)
    }
  }
}

function takeRange(bytes: Buffer, cursor: LengthCursor, limit: number): ByteRange {
  const length = readLengthEncoded(bytes, cursor)
  const start = cursor.at
  const end = start + length
  if (end > limit) throw new RangeError(`${length} bytes of a change of a JSON document extend past its end`)
  cursor.at = end
  return { start, end }
}

const REPLACE = 0
const INSERT = 1
const REMOVE = 2
