import type { ConnectorTables, CountedTable, SnapshotProgress } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { connectorPath } from '../api/client.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatCount, formatDuration, formatRate, formatRows, NOTHING } from '../format.ts'
import { Bar } from '../parts/bar.tsx'
import { Empty, Failure, Loading } from '../parts/messages.tsx'
import { Stale } from '../parts/stale.tsx'
import { secondsLeft } from './snapshot-time.ts'

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
          {snapshot === null ? null : <Snapshot snapshot={snapshot} tables={tables} />}
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
  readonly tables: readonly CountedTable[]
}

function Snapshot({ snapshot, tables }: SnapshotProps): VNode {
  const { state, rows, seconds, tables: all, tables_remaining: remaining } = snapshot
  const left = state === 'running' ? secondsLeft(snapshot, tables) : null
  const words = { running: 'A snapshot runs', completed: 'Snapshot completed', aborted: 'Snapshot aborted' }
  return (
    <div class="card snapshot">
      <b>{words[state]}</b>
      <Bar
        label="Tables that are read"
        done={all - remaining}
        total={all}
        isComplete={state === 'completed'}
        isStopped={state !== 'running'}
      />
      <span class="soft">
        {formatCount(all - remaining)} of {formatCount(all)} tables, {formatRows(rows)} in{' '}
        {formatDuration(seconds * 1_000)}
        {seconds > 0 ? `, ${formatRate(rows / seconds)} rows/s` : ''}
        {left === null ? '' : `, about ${formatDuration(left * 1_000)} left`}
      </span>
    </div>
  )
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
