import { belongsTo, type SpoolStatus } from './spool-status.ts'

/** In an outage a task sends the same offset again and again, and few others before. */
const IN_DOUBT_MAX = 100

/** The stored offset that a spool belongs to, and those that were sent to be stored since (`offsetText`). */
export class SpoolOffsets {
  /** The last stored offset that the task knows, also of an earlier process; null: unknown. */
  stored: string | null = null
  /** Stored or not; oldest first. */
  inDoubt: readonly string[] = []
  /** Those in doubt are on the disk. */
  #isNoted = true

  /** Those that an earlier process has noted. */
  load({ stored, inDoubt }: Pick<SpoolStatus, 'stored' | 'inDoubt'>): void {
    this.stored = stored
    this.inDoubt = inDoubt
  }

  belongTo(text: string): boolean {
    const { stored, inDoubt } = this
    return stored !== null && belongsTo({ stored, inDoubt }, text)
  }

  /** `note` writes them to the disk. If it throws, the next call notes them, also one with the same offset. */
  addInDoubt(text: string, note: () => void): void {
    const isKnown = this.inDoubt.includes(text)
    if (isKnown && this.#isNoted) return
    if (!isKnown) {
      const all = [...this.inDoubt, text]
      // The oldest was sent before the outage, so it is the likeliest to be stored.
      this.inDoubt = [...all.slice(0, 1), ...all.slice(1).slice(1 - IN_DOUBT_MAX)]
    }
    this.#isNoted = false
    note()
    this.#isNoted = true
  }
}
