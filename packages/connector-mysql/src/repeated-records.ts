import type { TableId } from '@tributary/connector-kit'
import type { OffsetDocument } from '@tributary/connect-api'
import type { DdlInterpreter } from './schema/ddl-interpreter.ts'
import type { RecoveredChange } from './schema/recorded-statement.ts'
import type { MySqlTable } from './schema/mysql-table.ts'
import type { DdlOutcome } from './schema/schema-change.ts'

/** A record of the schema history and its position in the binlog. */
export interface PlacedRecord extends RecoveredChange {
  readonly position: OffsetDocument
}

type KnownFacts = Pick<MySqlTable, 'keys' | 'versioning'> & { readonly ddl: string | null }

/**
 * Applies the records of a schema history in which statements are repeated: a task that continues before statements
 * which it has recorded, after a crash, records them again.
 *
 * The statement of a repeated record does not fit the table, which has its later definition by then. So the facts that
 * records do not contain, keys and system versioning, are those that followed from the statement the first time.
 */
export class RepeatedRecords {
  readonly #interpreter: DdlInterpreter
  /** By position and table, in the order of the records. */
  readonly #facts = new Map<string, KnownFacts>()

  constructor(interpreter: DdlInterpreter) {
    this.#interpreter = interpreter
  }

  /** Returns what `DdlInterpreter.recover` does. */
  recover(record: PlacedRecord): DdlOutcome | null {
    const { tables } = this.#interpreter
    const outcome = this.#interpreter.recover(record)
    for (const { id } of record.changes) {
      const table = tables.get(id)
      if (table === undefined) continue
      const place = placeOf(record, id)
      const first = this.#facts.get(place)
      const { keys, versioning } = table
      if (first?.ddl === record.ddl) tables.overwrite({ ...table, keys: first.keys, versioning: first.versioning })
      else if (keys !== null) this.#remember(place, { keys, versioning, ddl: record.ddl })
    }
    return outcome
  }

  #remember(place: string, facts: KnownFacts): void {
    this.#facts.set(place, facts)
    const [oldest] = this.#facts.keys()
    if (this.#facts.size > KEPT_MAX && oldest !== undefined) this.#facts.delete(oldest)
  }
}

function placeOf({ position }: PlacedRecord, id: TableId): string {
  return `${String(position['file'])}:${String(position['pos'])} ${id.toString()}`
}

/** About 30 MB while a task starts. A task repeats only what followed its last stored offset. */
const KEPT_MAX = 100_000
