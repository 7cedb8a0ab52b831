import { createContext } from 'preact'
import { useContext, useEffect, useReducer } from 'preact/hooks'
import { LiveStore } from './live-store.ts'

export const LiveContext: ReturnType<typeof createContext<LiveStore>> = createContext(new LiveStore())

/** The store; the component is rendered again with each message. */
export function useLive(): LiveStore {
  const store = useContext(LiveContext)
  const [, render] = useReducer<number, undefined>((count) => count + 1, 0)
  useEffect(() => store.listen(() => render(undefined)), [store])
  return store
}
