import type { SourceOffset } from '@tributary/connect-api'
import type { Notification, NotificationRecords } from '../events/notification-records.ts'
import type { ChangePosition, ChangeStage, Poll, ProgressChange } from './change.ts'

export interface NotificationStageOptions {
  readonly records: NotificationRecords
  /** The offset of a record at that position; default: the position. */
  readonly offsetOf?: (position: ChangePosition) => SourceOffset
}

/**
 * Sends the notifications that were added since the last change. They have the offset of the record before them: that
 * of the change itself may lack what a signal in it has changed.
 */
export class NotificationStage implements ChangeStage {
  readonly #options: NotificationStageOptions
  #waiting: Notification[] = []

  constructor(options: NotificationStageOptions) {
    this.#options = options
  }

  add(notification: Notification): void {
    this.#waiting.push(notification)
  }

  rows(_change: unknown, poll: Poll): null {
    return this.#afterRecord(poll)
  }

  statement(_change: unknown, poll: Poll): null {
    return this.#afterRecord(poll)
  }

  progress({ position }: ProgressChange, poll: Poll): null {
    if (this.#waiting.length === 0) return null
    const last = poll.records.at(-1)?.sourceOffset
    this.#send(last ?? this.#options.offsetOf?.(position) ?? position, poll)
    return null
  }

  #afterRecord(poll: Poll): null {
    if (this.#waiting.length === 0) return null
    const last = poll.records.at(-1)
    if (last !== undefined) this.#send(last.sourceOffset, poll)
    return null
  }

  #send(offset: SourceOffset, poll: Poll): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const each of waiting) poll.records.push(this.#options.records.record(each, offset))
  }
}
