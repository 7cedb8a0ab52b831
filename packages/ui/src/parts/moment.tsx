import type { VNode } from 'preact'
import { formatFull, formatMoment } from '../format.ts'

/** A time in the visitor's zone; its title has the date and the zone. */
export function Moment({ ms }: { readonly ms: number }): VNode {
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatFull(ms)}>
      {formatMoment(ms)}
    </time>
  )
}
