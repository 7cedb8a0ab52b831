import type { ConnectValue } from '@tributary/connect-api'
import type { ColumnTarget } from '@tributary/mysql'
import { assert } from '@tributary/support'
import type { MySqlTable } from '../schema/mysql-table.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import type { RawRow } from './raw-row.ts'

/** What a change of a row version is to somebody who sees current rows only. */
export type CurrentChange =
  | 'change'
  /** The change closes the current version: the row was deleted. */
  | 'delete'
  /** The change concerns a former version, which is no row of the table. */
  | 'none'

/**
 * Recognises the current versions of the rows of a system-versioned table (MariaDB). The binlog has its versions as
 * rows:
 *
 * ```
 *  INSERT          write (end open)
 *  UPDATE          update (end open → end open), write of the former version (end closed)
 *  DELETE          update (end open → end closed)
 *  DELETE HISTORY  delete (end closed)
 * ```
 */
export class RowVersions {
  readonly #column: number
  readonly #openValues: readonly ConnectValue[]

  private constructor(column: number, target: ColumnTarget<ConnectValue> | null) {
    assert(target?.kind === 'timestamp', 'the end of a row version is a timestamp')
    this.#column = column
    this.#openValues = OPEN_SECONDS.map((seconds) => target.of(seconds, OPEN_MICROS))
  }

  /** Null for a table without versions. */
  static of({ versionEnd, targets }: CapturedTable): RowVersions | null {
    return versionEnd === null ? null : new RowVersions(versionEnd, targets[versionEnd] ?? null)
  }

  /** Null: the image is absent. */
  ofRaw(before: RawRow | null, after: RawRow | null): CurrentChange {
    return currentChange(this.#isRawOpen(before), this.#isRawOpen(after))
  }

  /** Decoded images. */
  ofValues(before: readonly unknown[] | null, after: readonly unknown[] | null): CurrentChange {
    return currentChange(this.#isOpen(before), this.#isOpen(after))
  }

  #isRawOpen(row: RawRow | null): boolean | null {
    return row === null ? null : OPEN_ENDS.some((bytes) => row.hasBytes(this.#column, bytes))
  }

  #isOpen(values: readonly unknown[] | null): boolean | null {
    return values === null ? null : this.#openValues.some((value) => value === values[this.#column])
  }
}

/** Whether the image before and after the change is a current version; null: there is no such image. */
function currentChange(before: boolean | null, after: boolean | null): CurrentChange {
  if (before === true && after === false) return 'delete'
  return before === true || after === true ? 'change' : 'none'
}

/** True when nothing shows that the table has no versions: a history record does not contain that. */
export function mayHaveVersions({ versioning, columns }: MySqlTable): boolean {
  if (versioning.tag !== 'unknown') return false
  return (
    columns.filter((column) => column.typeName === 'TIMESTAMP' && column.length === 6 && !column.optional).length > 1
  )
}

/** The last moment of a TIMESTAMP(6): in 2038, and since MariaDB 11.5 in 2106. */
const OPEN_SECONDS = [0x7f_ff_ff_ff, 0xff_ff_ff_ff] as const
const OPEN_MICROS = 999_999

/** As TIMESTAMP2: int<4> seconds · int<3> microseconds, most significant byte first. */
const OPEN_ENDS = OPEN_SECONDS.map((seconds) => {
  const bytes = Buffer.alloc(7)
  bytes.writeUInt32BE(seconds)
  bytes.writeUIntBE(OPEN_MICROS, 4, 3)
  return bytes
})
