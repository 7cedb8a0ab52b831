import type { SourceRecord } from '@tributary/connect-api'

/** Changes or drops one record. */
export interface TransformationStage {
  /** Null: the record is dropped. */
  apply(record: SourceRecord): SourceRecord | null
}

/** The stages of a connector's `transforms`, one after the other; the first that drops a record ends it. */
export class TransformationChain {
  readonly #stages: readonly TransformationStage[]

  constructor(stages: readonly TransformationStage[]) {
    this.#stages = stages
  }

  /** True: records stay as they are. */
  get isEmpty(): boolean {
    return this.#stages.length === 0
  }

  apply(record: SourceRecord): SourceRecord | null {
    let current: SourceRecord | null = record
    for (const stage of this.#stages) {
      if (current === null) return null
      current = stage.apply(current)
    }
    return current
  }
}
