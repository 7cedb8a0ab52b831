import type { DeleteMode } from './extract-new-record-state-config.ts'

/** What becomes of the event of a deleted row, and of the tombstone after it. */
export interface DeleteHandling {
  /** `null`: a value of null with the schema of the row. `tombstone`: null without a schema. */
  readonly ofDeletes: 'drop' | 'rewrite' | 'null' | 'tombstone'
  readonly keepsTombstones: boolean
}

export const DELETE_HANDLING: Readonly<Record<DeleteMode, DeleteHandling>> = {
  drop: { ofDeletes: 'drop', keepsTombstones: false },
  tombstone: { ofDeletes: 'null', keepsTombstones: false },
  rewrite: { ofDeletes: 'rewrite', keepsTombstones: false },
  'rewrite-with-tombstone': { ofDeletes: 'rewrite', keepsTombstones: true },
  'delete-to-tombstone': { ofDeletes: 'tombstone', keepsTombstones: false },
}
