import type { ConnectValue } from '@tributary/connect-api'
import { ABSENT, type RowCodec, type RowsEvent, type RowValue } from '@tributary/mysql'
import { connectorErrors } from '../errors.ts'
import type { CapturedTable } from '../tables/captured-table.ts'
import { omittedValue } from '../values/omitted-value.ts'
import { type EventHeader, placeOf } from './event-place.ts'
import { isUnknown, type PartialForm, partialForm, PartialRow } from './partial-row.ts'
import type { CurrentChange, RowVersions } from './row-versions.ts'

export interface PartialRowsOptions {
  readonly captured: CapturedTable
  readonly codec: RowCodec<ConnectValue>
  /** Null: each row has one version. */
  readonly versions: RowVersions | null
}

/** Not both null. */
interface PartialImages {
  readonly before: PartialRow | null
  readonly after: PartialRow | null
  readonly change: CurrentChange
}

type Values = RowValue<ConnectValue>[]

/**
 * Reads events whose images lack columns (binlog_row_image=MINIMAL, NOBLOB, FULL_NODUP) or have only the changes of JSON
 * documents. They are rare enough to be made of values. What an image lacks is:
 *
 * - of an INSERT, the default of the column;
 * - after an UPDATE, the value before it, since only unchanged columns are left out;
 * - else unknown: its place has the placeholder, as in Debezium.
 */
export class PartialRows {
  readonly #options: PartialRowsOptions
  readonly #form: PartialForm

  constructor(options: PartialRowsOptions) {
    this.#options = options
    this.#form = partialForm(options.captured)
  }

  /** Throws ROW_PARTIAL for a column that must be known: of the key, or without a placeholder. */
  read(event: RowsEvent, header: EventHeader): PartialImages {
    const { codec, versions } = this.#options
    const before = event.kind === 'write' ? null : event.readBefore(codec)
    const after = event.kind === 'delete' ? null : event.readAfter(codec)
    if (after !== null && before !== null) fillUnchanged(before, after)
    else if (after !== null) this.#fillDefaults(after)
    if (before !== null) this.#requireIdentity(before, header)
    if (after !== null) this.#requireIdentity(after, header)
    if (after !== null) this.#requireValues(after, header)
    return {
      before: before === null ? null : new PartialRow(this.#form, before, 'before'),
      after: after === null ? null : new PartialRow(this.#form, after, 'after'),
      change: versions === null ? 'change' : versions.ofValues(before, after),
    }
  }

  #fillDefaults(after: Values): void {
    const { table, mappings, logsVirtualColumns } = this.#options.captured
    for (const [i, value] of after.entries()) {
      const [column, mapping] = [table.columns[i], mappings[i] ?? null]
      if (value !== ABSENT || column === undefined || mapping === null) continue
      const omitted = omittedValue(column, mapping, logsVirtualColumns)
      if (omitted !== undefined) after[i] = omitted
    }
  }

  /** The columns of the key, and the one that shows whether a version of a row is the current one. */
  #requireIdentity(values: Values, header: EventHeader): void {
    const { schema, versionEnd } = this.#options.captured
    const missing = schema.keyIndexes.find((column) => isUnknown(values[column]))
    if (missing !== undefined) throw this.#error(missing, 'which is part of the key of its events', header)
    if (versionEnd !== null && isUnknown(values[versionEnd])) {
      throw this.#error(versionEnd, 'which shows whether the row is the current version', header)
    }
  }

  #requireValues(values: Values, header: EventHeader): void {
    const missing = this.#form.fields.find(
      ({ column, unavailable, isReadAgain }) => isUnknown(values[column]) && unavailable === undefined && !isReadAgain,
    )
    if (missing === undefined) return
    throw this.#error(missing.column, 'whose type has no placeholder', header)
  }

  #error(column: number, why: string, header: EventHeader): Error {
    const { table } = this.#options.captured
    return connectorErrors.ROW_PARTIAL({
      table: table.id.toString(),
      position: placeOf(header),
      column: table.columns[column]?.name ?? String(column + 1),
      why,
    })
  }
}

function fillUnchanged(before: Values, after: Values): void {
  for (const [i, value] of after.entries()) if (value === ABSENT) after[i] = before[i] ?? null
}
