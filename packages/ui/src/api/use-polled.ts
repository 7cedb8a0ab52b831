import { useEffect } from 'preact/hooks'
import { useLoaded, type Loaded } from './use-loaded.ts'

/** A connection can be dead without an error; then the next request has another one. */
const TIMEOUT_MS = 30_000

/** Loads a document, and again at intervals while the tab is visible. Null: loads nothing. */
export function usePolled<T>(path: string | null, intervalMs: number): Loaded<T> {
  const loaded = useLoaded<T>(path, TIMEOUT_MS)
  const { reload, isBusy } = loaded
  useEffect(() => {
    if (path === null) return undefined
    const timer = setInterval(() => {
      // A worker that is slower than the interval would never answer.
      if (!document.hidden && !isBusy()) reload()
    }, intervalMs)
    return () => clearInterval(timer)
  }, [path, intervalMs, reload, isBusy])
  return loaded
}
