import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { request } from './client.ts'

export interface Loaded<T> {
  /** Null until it is loaded. The last one stays while it is loaded again. */
  readonly value: T | null
  readonly error: Error | null
  readonly reload: () => void
  /** Whether an answer is awaited. */
  readonly isBusy: () => boolean
}

/** Loads a document, and again whenever `reload` is called or the path changes. Null: loads nothing. */
export function useLoaded<T>(path: string | null): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; value: T | null; error: Error | null }>(() => ({
    path,
    value: null,
    error: null,
  }))
  const [count, setCount] = useState(0)
  const busy = useRef(false)
  useEffect(() => {
    if (path === null) return undefined
    const stop = new AbortController()
    busy.current = true
    request('GET', path, undefined, stop.signal).then(
      (value) => {
        busy.current = false
        setState({ path, value: value as T, error: null })
      },
      (error: Error) => {
        if (stop.signal.aborted) return
        busy.current = false
        setState((last) => ({ path, value: last.path === path ? last.value : null, error }))
      },
    )
    return () => stop.abort()
  }, [path, count])
  const reload = useCallback(() => setCount((last) => last + 1), [])
  const isBusy = useCallback(() => busy.current, [])
  const isCurrent = state.path === path
  return { value: isCurrent ? state.value : null, error: isCurrent ? state.error : null, reload, isBusy }
}
