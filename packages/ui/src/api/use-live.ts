import { createContext } from 'preact'
import { useContext, useLayoutEffect, useReducer } from 'preact/hooks'
import { LiveStore } from './live-store.ts'

export const LiveContext: ReturnType<typeof createContext<LiveStore>> = createContext(new LiveStore())

/** The store; the component is rendered again with each message. */
export function useLive(): LiveStore {
  const store = useContext(LiveContext)
  const [, render] = useReducer<number, undefined>((count) => count + 1, 0)
  // Before anything else runs: an ordinary effect misses a message that arrives before the browser paints.
  useLayoutEffect(() => store.listen(() => render(undefined)), [store])
  return store
}
