import type { ChangeEvent, Row } from './row-image.ts'

/** What reads the changes of a history: a task of the connector in this process, or a whole service. */
export interface ChangeReader extends AsyncDisposable {
  start(deadline: AbortSignal): Promise<void>
  /** Until the stream has begun, so that it gets all that follows. */
  untilStreaming(deadline: AbortSignal): Promise<void>
  untilMarker(marker: number, deadline: AbortSignal): Promise<void>
  /** Takes so many more events, or all before the marker, and starts again from there. */
  restartAfter(count: number, marker: number, deadline: AbortSignal): Promise<void>
  /** Ends without a shutdown after so many more events; starts again from the offset before `unstored` records. */
  crashAfter(count: number, unstored: number, marker: number, deadline: AbortSignal): Promise<void>
  /** A crash does not lead back beyond what was read up to now. */
  forgetPlaces(): void
  stop(): Promise<void>
  /** What it has read. */
  finish(): Promise<ReadChanges>
}

export interface ReadChanges {
  /** In the order of the binlog. */
  readonly events: readonly ChangeEvent[]
  /** Differences between what it read first and what it read again after a crash. */
  readonly unlike: readonly string[]
  /** Per table the last record of each key; a key whose last record is a tombstone is absent. */
  readonly state: ReadonlyMap<string, readonly Row[]>
  /** Tables that the log reports as stopped, with the reason. */
  readonly stopped: ReadonlyMap<string, string>
  /** Tables of which the log reports events that are left out. */
  readonly leftOut: ReadonlySet<string>
}
