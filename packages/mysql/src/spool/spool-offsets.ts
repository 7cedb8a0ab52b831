import { belongsTo } from './spool-status.ts'

/** In an outage a task sends the same offset again and again, and few others before. */
const IN_DOUBT_MAX = 100

/** The stored offset that a spool belongs to, and those that were sent to be stored since (`offsetText`). */
export class SpoolOffsets {
  /** The last stored offset that the task knows, also of an earlier process; null: unknown. */
  stored: string | null = null
  /** Stored or not; oldest first. */
  inDoubt: readonly string[] = []

  belongTo(text: string): boolean {
    const { stored, inDoubt } = this
    return stored !== null && belongsTo({ stored, inDoubt }, text)
  }

  /** False: it is known. */
  addInDoubt(text: string): boolean {
    if (this.inDoubt.includes(text)) return false
    this.inDoubt = [...this.inDoubt, text].slice(-IN_DOUBT_MAX)
    return true
  }
}
