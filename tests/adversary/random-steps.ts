import { type SeededRandom, seededRandom } from '@tributary/testkit'
import type { CampaignOptions } from './campaign-options.ts'
import { HistoryWriter } from './history-writer.ts'
import type { StepSource } from './run-histories.ts'
import type { Step } from './steps.ts'

/** Random steps of several histories in turn, with reads and restarts between them. */
export class RandomSteps implements StepSource {
  readonly #random: SeededRandom
  readonly #writers: readonly HistoryWriter[]
  readonly #metadata: CampaignOptions['metadata']
  /** Steps before which the server restarts. */
  readonly #restarts: ReadonlySet<number>
  #left: number
  /** Steps during which the task stays stopped. */
  #paused = 0
  #last: HistoryWriter | null = null

  constructor(options: CampaignOptions) {
    const { seed, histories, stepsPerHistory, unlogged, partial, metadata, serverRestarts, database } = options
    const random = seededRandom(seed)
    this.#random = random
    this.#metadata = metadata
    this.#left = histories * stepsPerHistory
    this.#restarts = new Set(Array.from({ length: serverRestarts }, () => random.integer(0, this.#left)))
    const { flavor } = database
    this.#writers = Array.from(
      { length: histories },
      (_, i) =>
        new HistoryWriter({ flavor, random, unlogged, partial, hasNames: metadata === 'FULL', prefix: `h${i + 1}` }),
    )
  }

  next(): Step | null {
    if (this.#left === 0) return null
    this.#left -= 1
    this.#last = null
    if (this.#restarts.has(this.#left)) return { kind: 'server', how: this.#random.pick(['stop', 'kill']) }
    const between = this.#between()
    if (between !== null) return between
    this.#last = this.#random.pick(this.#writers)
    return this.#last.next()
  }

  accepted(): void {
    this.#last?.accepted()
  }

  /** A step that belongs to no history; null: none now. */
  #between(): Step | null {
    const random = this.#random
    const kind = random()
    if (kind < 0.003) return { kind: 'global', sql: 'FLUSH BINARY LOGS' }
    if (kind < 0.008) return { kind: 'xaEnd', by: random.pick(['COMMIT', 'COMMIT', 'ROLLBACK']) }
    if (kind < 0.02 && this.#metadata === 'mixed') {
      const value = random.pick(['MINIMAL', 'FULL'])
      return { kind: 'global', sql: `SET GLOBAL binlog_row_metadata = ${value}` }
    }
    if (this.#paused > 0) {
      this.#paused -= 1
      return null
    }
    if (kind < 0.035) return { kind: 'read' }
    if (kind < 0.043) return { kind: 'restart', events: random.integer(1, 60) }
    if (kind < 0.049) return { kind: 'crash', events: random.integer(1, 60), unstored: random.integer(1, 60) }
    if (kind < 0.053) return { kind: 'disconnect' }
    if (kind < 0.055) return { kind: 'purge' }
    if (kind >= 0.058) return null
    this.#paused = random.integer(30, 200)
    return { kind: 'pause' }
  }
}
