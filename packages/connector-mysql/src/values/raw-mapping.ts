import { Schema } from '@tributary/connect-api'
import type { Column } from '@tributary/connector-kit'
import type { ColumnMapping } from './column-mapping.ts'

/** The bytes of a column whose type or character set is not supported: bytes without a default. */
export function rawMapping({ optional, comment }: Column): ColumnMapping {
  return {
    schema: Schema.of('bytes', { optional, ...(comment === null ? {} : { doc: comment }) }),
    target: { kind: 'raw', of: (bytes, start, end) => bytes.subarray(start, end) },
    select: 'plain',
  }
}
