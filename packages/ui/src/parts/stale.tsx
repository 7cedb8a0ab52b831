import type { VNode } from 'preact'
import type { Loaded } from '../api/use-loaded.ts'
import { Moment } from './moment.tsx'

/** Says that numbers are no longer those of now, and why. Null: they are, or there are none. */
export function Stale({ of }: { readonly of: Pick<Loaded<unknown>, 'error' | 'loadedMs'> }): VNode | null {
  const { error, loadedMs } = of
  if (error === null || loadedMs === null) return null
  return (
    <p class="prose warning" role="status">
      Not updated since <Moment ms={loadedMs} />: {error.message}
    </p>
  )
}
