import type { LogRecord } from '@tributary/kafka'

interface Payload {
  readonly op: 'r' | 'c' | 'u' | 'd'
  readonly before: { readonly version: number; readonly payload: string } | null
  readonly after: { readonly version: number; readonly payload: string } | null
}

/** The state of one key according to its events so far. */
interface KeyHistory {
  /** Highest version so far. */
  version: number
  /** Version of the last record: below the highest one only while records of a killed run are repeated. */
  last: number
  isDeleted: boolean
  payload: string | null
  /** The last record was a delete: its tombstone must be next. */
  owesTombstone: boolean
}

/**
 * Checks the events of a topic, in the order of their partitions: every version of every key must arrive, in order,
 * without a gap. A crash can repeat a run of versions: it goes back once and then forward version by version to where
 * it was. A row of a snapshot has the version of that moment, which is never older than the versions sent before. Where
 * rows are copied beside the stream, a change of a row may be its first event, with any version.
 */
export class EventAudit {
  readonly keys: Map<number, KeyHistory> = new Map()
  readonly faults: string[] = []
  repeats = 0
  /** Repeats that are rows of a snapshot that began again. */
  readAgain = 0
  events = 0
  /** Versions that are missing between those that arrived. */
  lost = 0
  /** Versions that arrived after a newer one, outside a repeated run. */
  outOfOrder = 0
  readonly #isBesideStream: boolean

  constructor(isBesideStream = false) {
    this.#isBesideStream = isBesideStream
  }

  add({ key, value, partition, offset }: LogRecord): void {
    const { payload } = JSON.parse(key?.toString() ?? '') as { payload: { id: number } }
    const history = this.#history(payload.id)
    if (value === null) {
      if (!history.owesTombstone)
        this.faults.push(`a tombstone of ${payload.id} follows no delete (${partition}:${offset})`)
      history.owesTombstone = false
      return
    }
    this.events += 1
    this.#judge(payload.id, history, (JSON.parse(value.toString()) as { payload: Payload }).payload)
  }

  /** Faults that only the end shows: an incomplete repeated run. */
  finish(): void {
    for (const [id, { version, last }] of this.keys) {
      if (last !== version) this.faults.push(`${id}: ends with version ${last}, after version ${version}`)
    }
  }

  #history(id: number): KeyHistory {
    const known = this.keys.get(id)
    if (known !== undefined) return known
    const history = { version: 0, last: 0, isDeleted: false, payload: null, owesTombstone: false }
    this.keys.set(id, history)
    return history
  }

  #judge(id: number, history: KeyHistory, { op, before, after }: Payload): void {
    const version = after?.version ?? (before?.version ?? 0) + 1
    const isRepeat = version <= history.version
    if (isRepeat) this.repeats += 1
    if (isRepeat && op === 'r') this.readAgain += 1
    if (history.owesTombstone && !isRepeat) this.faults.push(`${id}: no tombstone before version ${version} (${op})`)
    const isFirst = this.#isBesideStream && history.version === 0
    const isNext = isFirst || version === history.last + 1
    const isInOrder = op === 'r' ? version >= history.version : isRepeat || isNext
    // A repeated run must have no gap either.
    const skips = isRepeat && version > history.last + 1
    if (!isInOrder || skips) {
      if (version > history.last) this.lost += version - history.last - 1
      else this.outOfOrder += 1
      this.faults.push(`${id}: version ${version} (${op}) after version ${history.last}`)
    }
    if (op === 'u' && before?.version !== version - 1) {
      this.faults.push(`${id}: the update to ${version} has version ${before?.version} before`)
    }
    history.last = version
    history.owesTombstone = op === 'd'
    if (version < history.version) return
    history.version = version
    history.isDeleted = op === 'd'
    history.payload = after?.payload ?? null
  }
}
