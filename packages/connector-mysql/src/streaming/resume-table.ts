/**
 * How a restart inside a transaction finds its place again, as a table: state × input → next state and decision.
 *
 * A server can start to send only at the start of a transaction. When the last connection ended inside one, the first
 * events of that transaction, and the first rows of the event after them, were handled already: the next connection
 * must skip exactly these. The counts belong to that transaction only. A server that took over without it starts with
 * another one, of which nothing was handled.
 *
 * Where an input is ambiguous, the table prefers repeated events to lost ones.
 */
export type ResumeState =
  /** Nothing is left to skip. */
  | 'over'
  /** The interrupted transaction is expected next. */
  | 'awaited'
  /** Another transaction came first. The interrupted one may still follow. */
  | 'overtaken'
  /** Inside the interrupted transaction, before the place where it was interrupted. */
  | 'inside'
  /** The rows event in which it was interrupted is being handled. */
  | 'resumed'

/**
 * `Same`: the GTID is that of the interrupted transaction. `Unnamed`: one of the two has no GTID to compare. `Other`:
 * the GTIDs differ. `alone`: a statement outside a transaction, which is a transaction by itself.
 */
export type ResumeInput =
  | 'beginSame'
  | 'beginUnnamed'
  | 'beginOther'
  | 'aloneSame'
  | 'aloneUnnamed'
  | 'aloneOther'
  /** An event of a transaction of which fewer events are done than are to be skipped. */
  | 'earlyEvent'
  /** Rows, once that many events are done. */
  | 'rows'
  /** Something else than rows, once that many events are done. */
  | 'otherEvent'
  | 'end'

export type ResumeDecision =
  | 'handle'
  /** Handle it, and log that the interrupted transaction is not the next one. */
  | 'handleAndWarn'
  | 'skip'
  /** Skip the first rows of the event, and handle the others. */
  | 'skipRows'

export interface ResumeStep {
  readonly next: ResumeState
  readonly decision: ResumeDecision
}

function to(next: ResumeState, decision: ResumeDecision = 'handle'): ResumeStep {
  return { next, decision }
}

export const RESUME_TABLE: Readonly<Record<ResumeState, Readonly<Record<ResumeInput, ResumeStep>>>> = {
  over: {
    beginSame: to('over'),
    beginUnnamed: to('over'),
    beginOther: to('over'),
    aloneSame: to('over'),
    aloneUnnamed: to('over'),
    aloneOther: to('over'),
    earlyEvent: to('over'),
    rows: to('over'),
    otherEvent: to('over'),
    end: to('over'),
  },
  awaited: {
    beginSame: to('inside'),
    // Without GTIDs the file and position name the transaction: the first one is the interrupted one.
    beginUnnamed: to('inside'),
    beginOther: to('overtaken', 'handleAndWarn'),
    aloneSame: to('awaited'),
    aloneUnnamed: to('awaited'),
    aloneOther: to('overtaken', 'handleAndWarn'),
    earlyEvent: to('awaited'),
    rows: to('awaited'),
    otherEvent: to('awaited'),
    end: to('awaited'),
  },
  overtaken: {
    beginSame: to('inside'),
    // Not the first transaction any more: nothing shows that it is the interrupted one.
    beginUnnamed: to('overtaken'),
    beginOther: to('overtaken'),
    aloneSame: to('overtaken'),
    aloneUnnamed: to('overtaken'),
    aloneOther: to('overtaken'),
    earlyEvent: to('overtaken'),
    rows: to('overtaken'),
    otherEvent: to('overtaken'),
    end: to('overtaken'),
  },
  inside: {
    // Two events may begin one transaction.
    beginSame: to('inside'),
    // The interrupted transaction has no end in the binlog, since the server crashed: what follows is another one.
    beginUnnamed: to('over'),
    beginOther: to('over'),
    aloneSame: to('over'),
    aloneUnnamed: to('over'),
    aloneOther: to('over'),
    earlyEvent: to('inside', 'skip'),
    rows: to('resumed', 'skipRows'),
    // The count of events may be that of Debezium, which leaves some out: the rows to skip are those of the next rows
    // event.
    otherEvent: to('inside'),
    end: to('over'),
  },
  resumed: {
    beginSame: to('over'),
    beginUnnamed: to('over'),
    beginOther: to('over'),
    aloneSame: to('over'),
    aloneUnnamed: to('over'),
    aloneOther: to('over'),
    earlyEvent: to('over'),
    rows: to('over'),
    otherEvent: to('over'),
    end: to('over'),
  },
}
