/** One task of a connector. */
export interface TaskRef {
  readonly connector: string
  readonly task: number
}

/** Connectors and tasks: what a member runs, is assigned, or gives up. */
export interface Work {
  readonly connectors: readonly string[]
  readonly tasks: readonly TaskRef[]
}

export const NO_WORK: Work = { connectors: [], tasks: [] }

export function isEmptyWork({ connectors, tasks }: Work): boolean {
  return connectors.length === 0 && tasks.length === 0
}
