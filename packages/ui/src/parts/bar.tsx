import type { VNode } from 'preact'
import { formatCount } from '../format.ts'

export interface BarProps {
  readonly label: string
  readonly done: number
  /** Null or less than `done`: the end is not known. */
  readonly total: number | null
  readonly isComplete?: boolean
  /** Whether the work has ended, complete or not: without a known end the bar is empty. Default: false. */
  readonly isStopped?: boolean
}

/** How much of a work is done. Estimated totals can be too small: the bar is full only when the work is complete. */
export function Bar({ label, done, total, isComplete = false, isStopped = false }: BarProps): VNode {
  const share = shareOf(done, total, isComplete) ?? (isStopped ? 0 : null)
  return (
    <progress
      class="bar"
      aria-label={label}
      max={1}
      {...(share === null ? {} : { value: share })}
      title={total === null ? formatCount(done) : `${formatCount(done)} of about ${formatCount(total)}`}
    />
  )
}

function shareOf(done: number, total: number | null, isComplete: boolean): number | null {
  if (isComplete) return 1
  if (total === null || total <= 0) return null
  return Math.min(0.99, done / total)
}
