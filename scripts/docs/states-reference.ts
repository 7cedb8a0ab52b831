import { stateTables, type DocumentedTable } from '@tributary/runtime'

/** Renders the page of the lifecycles of connectors and tasks from the tables that the worker runs. */
export function renderStatesReference(): string {
  return `# States of connectors and tasks

How a worker brings the running connectors and tasks in line with the config topic. This page is generated from the two
tables that the worker itself looks up: [connectors](../../packages/runtime/src/herder/reconcile/connector-states.ts) and
[tasks](../../packages/runtime/src/herder/reconcile/task-states.ts). The reasons are in
[ADR 0021](../adr/0021-desired-assigned-running.md). States in capitals are those of \`GET /connectors/NAME/status\`.

A *turn* is one run of a connector's reconciler, which compares the connector with the config topic. The turns of one
connector run one after the other; those of different connectors do not wait for each other.

## Connectors

${renderTable(stateTables.connector)}
## Tasks

${renderTable(stateTables.task)}`
}

function renderTable({ states, events, actions, cells }: DocumentedTable): string {
  return [
    definitions('State', states),
    definitions('Event', events),
    definitions('Action', actions),
    ...Object.entries(cells).map(([state, row]) => renderRow(state, row)),
  ].join('\n')
}

function definitions(title: string, meanings: Readonly<Record<string, string>>): string {
  const lines = Object.entries(meanings).map(([word, meaning]) => `- *${word}*: ${meaning}`)
  return `${title}s:\n\n${lines.join('\n')}\n`
}

function renderRow(state: string, row: DocumentedTable['cells'][string]): string {
  const ignored = Object.keys(row).filter((event) => row[event] === null)
  const lines = Object.entries(row).flatMap(([event, cell]) =>
    cell === null ? [] : [`| ${event} | ${cell.next} | ${cell.actions.join(', ') || 'none'} |`],
  )
  const rest = ignored.length === 0 ? 'Ignores no event.' : `Ignores: ${ignored.join(', ')}.`
  return `### From *${state}*\n\n| event | next state | actions, in this order |\n|---|---|---|\n${lines.join('\n')}\n\n${rest}\n`
}
