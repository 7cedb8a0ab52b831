import type { Work } from '../protocol/work.ts'

/** A unit of work: a connector or a task. */
export interface Item {
  /** Identifies it, and sorts connectors before tasks, by name and number. */
  readonly key: string
  readonly connector: string
  /** Null for the connector itself. */
  readonly task: number | null
}

export function itemsOf({ connectors, tasks }: Work): readonly Item[] {
  return [
    ...connectors.map((connector) => ({ key: `c ${connector}`, connector, task: null })),
    ...tasks.map(({ connector, task }) => ({ key: taskKey(connector, task), connector, task })),
  ]
}

export function taskKey(connector: string, task: number): string {
  // A character that sorts before those of names, so that tasks of one connector stay together.
  return `t ${connector}\u0000${String(task).padStart(10, '0')}`
}

/** Sorted, so that the same input always gives the same bytes. */
export function workOf(items: readonly Item[]): Work {
  const sorted = sortedItems(items)
  return {
    connectors: sorted.filter(({ task }) => task === null).map(({ connector }) => connector),
    tasks: sorted.flatMap(({ connector, task }) => (task === null ? [] : [{ connector, task }])),
  }
}

export function sortedItems(items: Iterable<Item>): readonly Item[] {
  return [...items].toSorted((a, b) => compareText(a.key, b.key))
}

/** By code units, as Java compares strings: the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
