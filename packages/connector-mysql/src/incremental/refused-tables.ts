import type { TableId } from '@tributary/connector-kit'
import type { Logger } from '@tributary/support'
import type { IncrementalProgress } from '../offset/incremental-progress.ts'

/** Tables of an initial snapshot that cannot be copied as they are: they wait until the others are complete. */
export class RefusedTables {
  readonly #refused = new Set<TableId>()

  /** Moves the first table, which cannot be copied for that reason, to the end. Null: so it is with all of them. */
  postpone(progress: IncrementalProgress, reason: string, logger: Logger): IncrementalProgress | null {
    const [first] = progress.collections
    if (first === undefined) return null
    this.#refused.add(first.id)
    if (progress.collections.every(({ id }) => this.#refused.has(id))) {
      // The next attempt tries each of them.
      this.#refused.clear()
      return null
    }
    logger.warn(
      `The initial snapshot copies other tables first: '${first.id.toString()}' cannot be copied, since it ${reason}`,
    )
    return progress.withFirstLast()
  }
}
