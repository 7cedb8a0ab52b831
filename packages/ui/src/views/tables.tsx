import type { ConnectorSnapshot, ConnectorTables, CountedTable, SnapshotProgress } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { connectorPath } from '../api/client.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatCount, formatDuration, formatRate, formatRows, NOTHING } from '../format.ts'
import { Bar } from '../parts/bar.tsx'
import { Empty, Failure, Loading } from '../parts/messages.tsx'
import { Stale } from '../parts/stale.tsx'

/** As often as the tasks report. */
const READ_MS = 2_000
/** The field finds the others. */
const SHOWN_MAX = 50

/** The tables of the connector: the progress of a snapshot, and how many events each has had. */
export function Tables({ name }: { readonly name: string }): VNode {
  const loaded = usePolled<ConnectorTables>(`${connectorPath(name)}/tables`, READ_MS)
  const { value, error, reload } = loaded
  const [words, setWords] = useState('')
  const tables = value?.tables ?? []
  const found = tables.filter(({ table }) => table.toLowerCase().includes(words.trim().toLowerCase()))
  const snapshot = value?.snapshot ?? null
  return (
    <section aria-labelledby="tables" class="stack">
      <div class="head">
        <h2 id="tables">Tables {value === null ? null : <span class="count">{formatCount(tables.length)}</span>}</h2>
        {tables.length <= SHOWN_MAX ? null : (
          <label class="field-inline">
            <span>Containing</span>
            <input type="search" value={words} onInput={({ currentTarget }) => setWords(currentTarget.value)} />
          </label>
        )}
      </div>
      {value === null && error !== null ? (
        <Failure title="The tables cannot be read" error={error} onRetry={reload} />
      ) : value === null ? (
        <Loading what="the tables" />
      ) : (
        <>
          <Stale of={loaded} />
          {snapshot === null ? null : <Snapshot snapshot={snapshot} name={name} />}
          {found.length === 0 ? (
            <Empty title={tables.length === 0 ? 'No event since the task started' : 'No table matches'} />
          ) : (
            <TableList tables={found.slice(0, SHOWN_MAX)} state={snapshot?.state ?? null} />
          )}
          {found.length <= SHOWN_MAX ? null : (
            <p class="soft">
              The first {SHOWN_MAX} of {formatCount(found.length)}.
            </p>
          )}
        </>
      )}
    </section>
  )
}

interface SnapshotProps {
  readonly snapshot: SnapshotProgress
  readonly name: string
}

const KINDS = { initial: 'snapshot', blocking: 'blocking snapshot', incremental: 'incremental snapshot' } as const

function Snapshot({ snapshot, name }: SnapshotProps): VNode {
  const { state, kind, rows, seconds, tables: all, tables_remaining: remaining, percent } = snapshot
  const { rows_per_second: rate, seconds_left: left, is_paused: isPaused, is_waiting: isWaiting } = snapshot
  return (
    <div class="card snapshot">
      <b>{titleOf(snapshot)}</b>
      <Bar
        label={`Rows of the ${KINDS[kind]} that are read`}
        {...(percent === null ? { done: all - remaining, total: all } : { done: percent, total: 100 })}
        isComplete={state === 'completed'}
        isStopped={state !== 'running' || isPaused}
      />
      <span class="soft">
        {state === 'running' && percent !== null ? `About ${percent} %, ` : ''}
        {formatCount(all - remaining)} of {formatCount(all)} tables, {formatRows(rows)} in{' '}
        {formatDuration(seconds * 1_000)}
        {rate > 0 ? `, ${formatRate(rate)} rows/s` : ''}
        {state !== 'running' || left === null || isPaused ? '' : `, about ${formatDuration(left * 1_000)} left`}
      </span>
      {isWaiting ? <Waiting name={name} /> : null}
    </div>
  )
}

function titleOf({ state, kind, is_paused: isPaused }: SnapshotProgress): string {
  const what = KINDS[kind]
  if (isPaused) return `${what.charAt(0).toUpperCase()}${what.slice(1)} paused`
  if (state === 'running') return `${kind === 'incremental' ? 'An' : 'A'} ${what} runs`
  return `${what.charAt(0).toUpperCase()}${what.slice(1)} ${state}`
}

/** What the snapshot waits for, to spare the source. */
function Waiting({ name }: { readonly name: string }): VNode | null {
  const { value } = usePolled<ConnectorSnapshot>(`${connectorPath(name)}/snapshot`, READ_MS)
  const waitsFor = value?.snapshot?.waits_for ?? null
  return waitsFor === null ? null : <span class="soft">It waits: {waitsFor}</span>
}

const COUNTS = [
  ['Inserts', 'create'],
  ['Updates', 'update'],
  ['Deletes', 'delete'],
  ['Truncates', 'truncate'],
] as const

interface TableListProps {
  readonly tables: readonly CountedTable[]
  /** Of the snapshot; null: there is none. */
  readonly state: SnapshotProgress['state'] | null
}

function TableList({ tables, state }: TableListProps): VNode {
  return (
    <table class="list compact">
      <thead>
        <tr>
          <th scope="col">Table</th>
          {state !== null ? <th scope="col">Snapshot</th> : null}
          {COUNTS.map(([title]) => (
            <th scope="col" class="number" key={title}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {tables.map((table) => (
          <tr key={table.table}>
            <th scope="row">
              <span class="value">{table.table === 'other' ? 'all other tables' : table.table}</span>
            </th>
            {state !== null ? (
              <td data-label="Snapshot">
                <SnapshotOf table={table} isRunning={state === 'running'} />
              </td>
            ) : null}
            {COUNTS.map(([title, operation]) => (
              <td class="number" data-label={title} key={title}>
                {formatCount(table[operation])}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface SnapshotOfProps {
  readonly table: CountedTable
  readonly isRunning: boolean
}

function SnapshotOf({ table: { table, read, snapshot }, isRunning }: SnapshotOfProps): VNode {
  if (snapshot === null) {
    // Created later, or captured since then: not part of a snapshot that has ended.
    return <span class="soft">{read > 0 ? formatRows(read) : isRunning ? 'waits' : NOTHING}</span>
  }
  const { rows, estimated_rows: estimated, is_done: isDone } = snapshot
  if (isRunning && !isDone && rows === 0) return <span class="soft">waits</span>
  return (
    <span class="progress">
      <Bar
        label={`Rows of ${table} that are read`}
        done={rows}
        total={estimated}
        isComplete={isDone}
        isStopped={!isRunning}
      />
      <span class="soft">
        {isDone || estimated === null ? formatRows(rows) : `${formatCount(rows)} of about ${formatRows(estimated)}`}
      </span>
    </span>
  )
}
