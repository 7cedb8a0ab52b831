import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { request } from './client.ts'

export interface Loaded<T> {
  /** Null until it is loaded. The last one stays while it is loaded again. */
  readonly value: T | null
  /** Why the last attempt failed; a value beside it is an older one. */
  readonly error: Error | null
  /** When the value was loaded, in ms since 1970; null: there is none. */
  readonly loadedMs: number | null
  readonly reload: () => void
  /** Whether an answer is awaited. */
  readonly isBusy: () => boolean
}

interface State<T> extends Pick<Loaded<T>, 'value' | 'error' | 'loadedMs'> {
  readonly path: string | null
}

/**
 * Loads a document, and again whenever `reload` is called or the path changes. Null: loads nothing. A request without an
 * answer after `timeoutMs` has failed.
 */
export function useLoaded<T>(path: string | null, timeoutMs: number | null = null): Loaded<T> {
  const [state, setState] = useState<State<T>>(() => nothing(path))
  const [count, setCount] = useState(0)
  const busy = useRef(false)
  useEffect(() => {
    if (path === null) return undefined
    const stop = new AbortController()
    const late = new AbortController()
    const timer = timeoutMs === null ? undefined : setTimeout(() => late.abort(), timeoutMs)
    busy.current = true
    request('GET', path, undefined, AbortSignal.any([stop.signal, late.signal])).then(
      (value) => {
        clearTimeout(timer)
        if (stop.signal.aborted) return
        busy.current = false
        setState({ path, value: value as T, error: null, loadedMs: Date.now() })
      },
      (error: Error) => {
        clearTimeout(timer)
        if (stop.signal.aborted) return
        busy.current = false
        const reason = late.signal.aborted ? new Error('The worker has not answered in time.') : error
        setState((last) => ({ ...(last.path === path ? last : nothing<T>(path)), error: reason }))
      },
    )
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [path, count, timeoutMs])
  const reload = useCallback(() => setCount((last) => last + 1), [])
  const isBusy = useCallback(() => busy.current, [])
  const { value, error, loadedMs } = state.path === path ? state : nothing<T>(path)
  return { value, error, loadedMs, reload, isBusy }
}

function nothing<T>(path: string | null): State<T> {
  return { path, value: null, error: null, loadedMs: null }
}
