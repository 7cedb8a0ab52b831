import type { TableId } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import type { CapturedTable } from '../tables/captured-table.ts'
import { rawColumnsWarning } from '../tables/unreadable-columns.ts'

/** Reports which tables have columns whose raw bytes are in events: once at the first and once at the end of each file. */
export class RawColumns {
  readonly #logger: Logger
  /** The number of row events in the current file. */
  readonly #events = new Map<TableId, number>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** A row event of the table is handled. */
  count({ table: { id }, rawColumns }: CapturedTable): void {
    const count = this.#events.get(id) ?? 0
    if (count === 0) this.#logger.warn(rawColumnsWarning(id, rawColumns))
    this.#events.set(id, count + 1)
  }

  /** The next file begins. */
  enterFile(): void {
    for (const [id, count] of this.#events) {
      this.#logger.warn(`${count} row events of ${id.toString()} in that binlog file have raw bytes`)
    }
    this.#events.clear()
  }
}
