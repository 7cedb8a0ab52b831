import { useCallback, useEffect, useState } from 'preact/hooks'
import { request } from './client.ts'

export interface Loaded<T> {
  /** Null until it is loaded. The last one stays while it is loaded again. */
  readonly value: T | null
  readonly error: Error | null
  readonly reload: () => void
}

/** Loads a document, and again whenever `reload` is called or the path changes. Null: loads nothing. */
export function useLoaded<T>(path: string | null): Loaded<T> {
  const [state, setState] = useState<{ path: string | null; value: T | null; error: Error | null }>(() => ({
    path,
    value: null,
    error: null,
  }))
  const [count, setCount] = useState(0)
  useEffect(() => {
    if (path === null) return undefined
    const stop = new AbortController()
    request('GET', path, undefined, stop.signal).then(
      (value) => setState({ path, value: value as T, error: null }),
      (error: Error) => {
        if (!stop.signal.aborted) setState((last) => ({ path, value: last.path === path ? last.value : null, error }))
      },
    )
    return () => stop.abort()
  }, [path, count])
  const reload = useCallback(() => setCount((last) => last + 1), [])
  const isCurrent = state.path === path
  return { value: isCurrent ? state.value : null, error: isCurrent ? state.error : null, reload }
}
