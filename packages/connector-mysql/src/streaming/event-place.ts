/** The reader's fields about the event that it gave last. They change with the next event. */
export interface EventHeader {
  readonly file: string
  /** Where the event begins in the file. */
  readonly position: number
  readonly nextPosition: number
  /** Grows from event to event of a transaction; the events of a compressed one share their position. */
  readonly order: number
  /** More events of the current compressed transaction follow, at the same position. */
  readonly isInsidePayload: boolean
  readonly timestampSeconds: number
  readonly serverId: number
  /** The number of the table of the last rows event. */
  readonly tableId: number
}

/** `binlog.000003:4512`, for messages. */
export function placeOf({ file, position }: Pick<EventHeader, 'file' | 'position'>): string {
  return `${file}:${position}`
}
