import type { FunctionComponent, VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failure, Loading } from './messages.tsx'

export interface LazyView<P> {
  /** What is being loaded, for people. */
  readonly what: string
  readonly load: () => Promise<FunctionComponent<P>>
  /** The heading of the view, shown already while it is being loaded. Absent: it is a part of a view. */
  readonly heading?: FunctionComponent<P>
}

/** A view whose code the browser loads when it is first shown. The code stays for the next time. */
export function lazyView<P extends object>({ what, load, heading: Heading }: LazyView<P>): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | null = null
  return function Lazy(props: P): VNode {
    const [, render] = useState(0)
    const [error, setError] = useState<Error | null>(null)
    useEffect(() => {
      let isGone = false
      if (loaded !== null) return undefined
      load().then(
        (view) => {
          loaded = view
          if (!isGone) render((count) => count + 1)
        },
        (thrown: Error) => {
          if (!isGone) setError(thrown)
        },
      )
      return () => {
        isGone = true
      }
    }, [])
    if (loaded !== null) {
      const View = loaded
      return <View {...props} />
    }
    return (
      <>
        {Heading === undefined ? null : <Heading {...props} />}
        {error === null ? (
          <Loading what={what} />
        ) : (
          <Failure title={`The page cannot load ${what}`} error={NOT_LOADED} onRetry={() => location.reload()} />
        )}
      </>
    )
  }
}

/** After an upgrade the worker has other files. */
const NOT_LOADED = new Error('The worker does not answer, or it was upgraded since this page was opened.')
