import { Struct } from '@tributary/connect-api'
import type { ChangeStage, Poll, RowsChange } from '@tributary/connector-kit'
import { assertComplete } from '../values/unknown-fields.ts'

/** Encloses the stages that read columns again: no event may leave them with a value that is not known. */
export class CompleteRows implements ChangeStage {
  readonly #inner: ChangeStage

  constructor(inner: ChangeStage) {
    this.#inner = inner
  }

  time(poll: Poll): void {
    this.#inner.time?.(poll)
  }

  rows(change: RowsChange, poll: Poll): Promise<void> | null {
    const first = poll.records.length
    const waiting = this.#inner.rows?.(change, poll) ?? null
    if (waiting !== null) return waiting.then(() => verify(poll, first))
    verify(poll, first)
    return null
  }
}

function verify({ records }: Poll, first: number): void {
  for (let i = first; i < records.length; i++) {
    const value = records[i]?.value
    const field = value instanceof Struct ? value.schema.field('after') : null
    const after = field === null || !(value instanceof Struct) ? null : value.at(field.index)
    if (after instanceof Struct) assertComplete(after)
  }
}
