import { connectorActions, connectorEvents, connectorStates, connectorTable } from './connector-states.ts'
import { taskActions, taskEvents, taskStates, taskTable } from './task-states.ts'
import type { Cell } from './state-table.ts'

/** A state table with the meanings of its words, for the reference page. */
export interface DocumentedTable {
  readonly states: Readonly<Record<string, string>>
  readonly events: Readonly<Record<string, string>>
  readonly actions: Readonly<Record<string, string>>
  readonly cells: Readonly<Record<string, Readonly<Record<string, Cell<string, string>>>>>
}

/** The lifecycles of connectors and tasks. */
export const stateTables: { readonly connector: DocumentedTable; readonly task: DocumentedTable } = {
  connector: {
    states: connectorStates,
    events: connectorEvents,
    actions: connectorActions,
    cells: connectorTable,
  },
  task: { states: taskStates, events: taskEvents, actions: taskActions, cells: taskTable },
}
