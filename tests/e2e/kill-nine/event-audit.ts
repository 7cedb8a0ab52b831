import type { LogRecord } from '@tributary/kafka'

interface Payload {
  readonly op: 'r' | 'c' | 'u' | 'd'
  readonly before: { readonly version: number; readonly payload: string } | null
  readonly after: { readonly version: number; readonly payload: string } | null
}

/** What the events of one key have said so far. */
interface KeyHistory {
  /** Highest version told. */
  version: number
  isDeleted: boolean
  payload: string | null
  /** The last record was a delete: its tombstone must be next. */
  owesTombstone: boolean
}

/**
 * Judges the events of a topic, in the order of their partitions: every version of every key must arrive, in order, without a gap.
 * An event whose version was told before is a repeat, which a crash may cause; rows of a snapshot may begin anywhere.
 */
export class EventAudit {
  readonly keys: Map<number, KeyHistory> = new Map()
  readonly faults: string[] = []
  repeats = 0
  events = 0

  add({ key, value, partition, offset }: LogRecord): void {
    const { payload } = JSON.parse(key?.toString() ?? '') as { payload: { id: number } }
    const history = this.#history(payload.id)
    if (value === null) {
      if (!history.owesTombstone)
        this.faults.push(`a tombstone of ${payload.id} follows no delete (${partition}:${offset})`)
      history.owesTombstone = false
      return
    }
    // The delete of a killed run may be told again: its tombstone then follows the repeat.
    this.events += 1
    this.#judge(payload.id, history, (JSON.parse(value.toString()) as { payload: Payload }).payload)
  }

  #history(id: number): KeyHistory {
    const known = this.keys.get(id)
    if (known !== undefined) return known
    const history = { version: 0, isDeleted: false, payload: null, owesTombstone: false }
    this.keys.set(id, history)
    return history
  }

  #judge(id: number, history: KeyHistory, { op, before, after }: Payload): void {
    history.owesTombstone = op === 'd'
    const version = after?.version ?? (before?.version ?? 0) + 1
    if (version <= history.version) {
      this.repeats += 1
      return
    }
    if (op !== 'r' && version !== history.version + 1) {
      this.faults.push(`${id}: version ${version} (${op}) after version ${history.version}`)
    }
    if (op === 'u' && before?.version !== version - 1) {
      this.faults.push(`${id}: the update to ${version} says that it was ${before?.version} before`)
    }
    history.version = version
    history.isDeleted = op === 'd'
    history.payload = after?.payload ?? null
  }
}
