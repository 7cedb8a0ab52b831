import type { SourceRecord } from '@tributary/connect-api'
import type { NamedStage } from '../plugins/named-stage.ts'
import { recordFailure } from './record-failure.ts'
import type { RecordErrors } from './tolerance/record-errors.ts'

/** The records of a poll after the chain. */
export interface TransformedPoll {
  /** One per record of the poll up to the failure; null: dropped or skipped. */
  readonly records: readonly (SourceRecord | null)[]
  /** Number of dropped records. */
  readonly dropped: number
  /** RECORD_FAILED of the record after `records`; null: there is no failure. Thrown after `records` are sent. */
  readonly failure: Error | null
}

/**
 * The stages of a connector's `transforms`, one after the other. A record that fails and is tolerated counts as
 * skipped, and has null as its result.
 */
export class TransformationChain implements Disposable {
  readonly #stages: readonly NamedStage[]
  readonly #errors: Pick<RecordErrors, 'tolerates'>
  /** The class of the stage that was called last. */
  #className = ''

  constructor(stages: readonly NamedStage[], errors: Pick<RecordErrors, 'tolerates'>) {
    this.#stages = stages
    this.#errors = errors
  }

  /** True: records are not changed. */
  get isEmpty(): boolean {
    return this.#stages.length === 0
  }

  /** Runs a whole poll through the stages before its first record is sent: so the gate sees the following records. */
  apply(polled: readonly SourceRecord[]): TransformedPoll {
    if (this.isEmpty) return { records: polled, dropped: 0, failure: null }
    const records: (SourceRecord | null)[] = []
    let dropped = 0
    for (const record of polled) {
      try {
        const transformed = this.#applyStages(record)
        if (transformed === null) dropped += 1
        records.push(transformed)
      } catch (error) {
        const failure = recordFailure(record, { stage: 'TRANSFORMATION', className: this.#className }, error)
        if (!this.#errors.tolerates(failure, record)) return { records, dropped, failure }
        records.push(null)
      }
    }
    return { records, dropped, failure: null }
  }

  [Symbol.dispose](): void {
    for (const { stage } of this.#stages) stage.close?.()
  }

  /** Stages after the one that drops the record are not called. */
  #applyStages(record: SourceRecord): SourceRecord | null {
    let current: SourceRecord | null = record
    for (const { stage, className } of this.#stages) {
      this.#className = className
      current = stage.apply(current)
      if (current === null) return null
    }
    return current
  }
}
