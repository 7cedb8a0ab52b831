import { useEffect } from 'preact/hooks'
import { useLoaded, type Loaded } from './use-loaded.ts'

/** Loads a document, and again at intervals while the tab is visible. Null: loads nothing. */
export function usePolled<T>(path: string | null, intervalMs: number): Loaded<T> {
  const loaded = useLoaded<T>(path)
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
