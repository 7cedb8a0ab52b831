import type { VNode } from 'preact'

const KINDS: Readonly<Record<string, string>> = {
  RUNNING: 'good',
  healthy: 'good',
  FAILED: 'bad',
  unhealthy: 'bad',
  PAUSED: 'idle',
  STOPPED: 'idle',
  REMOVED: 'idle',
  UNASSIGNED: 'wait',
  RESTARTING: 'wait',
  starting: 'wait',
  COMPLETED: 'good',
  CANCELLED: 'idle',
  WAITING: 'idle',
  EQUAL: 'good',
  DIFFERENT: 'bad',
  UNPROVEN: 'wait',
  REFUSED: 'wait',
}

/** A state as a word with a coloured sign. */
export function StateBadge({ state }: { readonly state: string }): VNode {
  const text = state.charAt(0).toUpperCase() + state.slice(1).toLowerCase()
  return <span class={`badge ${KINDS[state] ?? 'wait'}`}>{text}</span>
}
