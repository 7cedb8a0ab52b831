import { EventType } from './event-type.ts'

/** Rows in a form that this version cannot read. A session can choose each of the forms for itself. */
export interface UnreadableForm {
  /** `differences of JSON documents`, for messages. */
  readonly form: string
  /** The option that makes the server write it. */
  readonly option: string
  /** The statement that turns it off for new sessions. */
  readonly remedy: string
}

/** The form of an event by its type; absent: another event. */
export const UNREADABLE_FORMS: ReadonlyMap<number, UnreadableForm> = new Map([
])
