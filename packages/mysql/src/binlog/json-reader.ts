import { ByteWriter } from '@tributary/support'
import type { ColumnTarget } from '../values/column-target.ts'
import { writeJsonText } from './json-binary.ts'
import { type ColumnReader, takeRun } from './row-cursor.ts'
import { lengthReader } from './string-readers.ts'

/** JSON: the binary document after its length. The target gets its text. */
export function jsonReader<T>(
  { of }: Extract<ColumnTarget<T>, { kind: 'json' }>,
  lengthBytes: number,
): ColumnReader<T> {
  const readLength = lengthReader(lengthBytes)
  const out = new ByteWriter(1024)
  return (cursor) => {
    const start = takeRun(cursor, readLength(cursor))
    out.reset()
    writeJsonText(cursor.bytes, start, cursor.at, out)
    // A copy, since the next row reuses the writer.
    const text = out.copy()
    return of(text, 0, text.length)
  }
}
