import { shownValue } from '@tributary/runtime'
import type { ConnectorInfo, ConnectorStateInfo, ExpandedConnector } from '@tributary/rest-api'
import { visibleText } from '@tributary/support'
import { type Cell, textTable } from '../terminal/text-table.ts'
import type { Palette } from '../terminal/palette.ts'

/** One line per connector, sorted by name. */
export function renderList(connectors: Readonly<Record<string, ExpandedConnector>>, palette: Palette): string {
  const names = Object.keys(connectors).toSorted()
  if (names.length === 0) return 'There are no connectors.\n'
  const rows = names.map((name) => listRow(name, connectors[name] ?? {}, palette))
  return textTable(['NAME', 'TYPE', 'STATE', 'TASKS', 'WORKER', 'CLASS'], rows, palette)
}

function listRow(name: string, { info, status }: ExpandedConnector, palette: Palette): readonly Cell[] {
  const states = Map.groupBy(status?.tasks ?? [], ({ state }) => state)
  const tasks = [...states].map(([state, { length }]) => `${length} ${state}`).join(', ')
  const worst = states.has('FAILED') ? 'FAILED' : ([...states.keys()][0] ?? '')
  return [
    name,
    status?.type ?? info?.type ?? 'unknown',
    painted(status?.connector.state ?? 'UNKNOWN', palette),
    tasks === '' ? '0' : [tasks, paintOf(worst, palette)],
    status?.connector.worker_id ?? '',
    (info?.config['connector.class'] ?? '').replace(/^.*\./, ''),
  ]
}

/** The states of a connector and its tasks, and the reason of each failure without the stack. */
export function renderStatus({ name, connector, tasks, type }: ConnectorStateInfo, palette: Palette): string {
  const rows: Cell[][] = [[name, painted(connector.state, palette), type, connector.worker_id]]
  for (const { id, state, worker_id: worker } of tasks) rows.push([`  task ${id}`, painted(state, palette), '', worker])
  const table = textTable(['CONNECTOR', 'STATE', 'TYPE', 'WORKER'], rows, palette)
  const traces = [
    { what: 'the connector', ...connector },
    ...tasks.map((task) => ({ what: `task ${task.id}`, ...task })),
  ]
  return (
    table + traces.map(({ what, trace }) => (trace === undefined ? '' : renderTrace(what, trace, palette))).join('')
  )
}

const FRAME = /^\s+at |^\s*\.\.\. \d+ (more|common frames)/

function renderTrace(what: string, trace: string, palette: Palette): string {
  const lines = trace.trimEnd().split('\n')
  const reasons = lines.filter((line) => !FRAME.test(line)).map((line) => `  ${visibleText(line)}\n`)
  const omitted = lines.length - reasons.length
  const note = omitted === 0 ? '' : `  ${palette.aside(`(${omitted} lines of the stack omitted; --json has them)`)}\n`
  return `\n${palette.bad(`Why ${visibleText(what)} failed:`)}\n${reasons.join('')}${note}`
}

/** A connector with its configuration; secrets are hidden. */
export function renderConnector({ name, type, tasks, config }: ConnectorInfo, palette: Palette): string {
  const kind = `${type}, ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}`
  const head = `${visibleText(name)}  ${palette.aside(visibleText(kind))}\n`
  const rows = Object.entries(config).map(([property, value]): Cell[] => [
    `  ${property}`,
    [shownValue(property, value), palette.string],
  ])
  return head + textTable(['  PROPERTY', 'VALUE'], rows, palette)
}

function painted(state: string, palette: Palette): Cell {
  return [state, paintOf(state, palette)]
}

function paintOf(state: string, palette: Palette): (text: string) => string {
  if (state === 'RUNNING') return palette.good
  return state === 'FAILED' ? palette.bad : palette.doubtful
}
