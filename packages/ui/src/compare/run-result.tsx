import type { Verification, VerifiedTable } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { formatCount, formatDuration } from '../format.ts'
import { Bar } from '../parts/bar.tsx'
import { Empty } from '../parts/messages.tsx'
import { Moment } from '../parts/moment.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { TableDetails } from './table-details.tsx'

export interface RunResultProps {
  readonly run: Verification
  /** Null: it does not run, or the visitor may only read. */
  readonly onStop: (() => void) | null
}

/** A comparison with its progress, and what it found in each table. */
export function RunResult({ run, onStop }: RunResultProps): VNode {
  const { state, started_ms, ended_ms, rate, error, tables } = run
  return (
    <section aria-labelledby="run" class="stack">
      <div class="head">
        <h2 id="run">
          Comparison of <Moment ms={started_ms} />
        </h2>
        <StateBadge state={state} />
        <span class="soft">
          {ended_ms === null ? '' : `took ${formatDuration(ended_ms - started_ms)}`}
          {rate === null ? '' : ` at most ${formatCount(rate)} rows/s`}
        </span>
        {onStop === null ? null : (
          <div class="buttons">
            <button type="button" onClick={onStop}>
              Stop…
            </button>
          </div>
        )}
      </div>
      {error === null ? null : (
        <div class="notice bad" role="alert">
          <p class="notice-title">The comparison has failed</p>
          <p class="prose">{error}</p>
        </div>
      )}
      {tables.length === 0 ? (
        state === 'RUNNING' ? (
          <Empty title="The worker reads the definitions of the tables" />
        ) : (
          <Empty title="No table was compared" />
        )
      ) : (
        <TableList tables={tables} isRunning={state === 'RUNNING'} />
      )}
      {tables.map((table) => (
        <TableDetails key={table.table} table={table} />
      ))}
    </section>
  )
}

const COLUMNS: readonly (readonly [string, (table: VerifiedTable) => number])[] = [
  ['Rows', (table) => table.rows_read],
  ['Equal', (table) => table.rows_equal],
  ['Missing', (table) => table.missing],
  ['Only in the topic', (table) => table.extra],
  ['Different', (table) => table.different],
  ['No tombstone', (table) => table.without_tombstone],
  ['Unproven', (table) => table.unproven.reduce((sum, { rows }) => sum + rows, 0)],
]

/** Columns in which every number above zero is a difference. */
const TROUBLE = new Set(['Missing', 'Only in the topic', 'Different', 'No tombstone'])

function TableList({
  tables,
  isRunning,
}: {
  readonly tables: readonly VerifiedTable[]
  readonly isRunning: boolean
}): VNode {
  return (
    <div class="wide">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Table</th>
            <th scope="col">Result</th>
            {COLUMNS.map(([title]) => (
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
                <span class="name">{table.table}</span>
                {table.state === 'RUNNING' && isRunning ? (
                  <>
                    <Bar
                      label={`Rows of ${table.table} that are read`}
                      done={table.rows_read}
                      total={table.rows_estimated}
                    />
                    <span class="soft">{progressOf(table)}</span>
                  </>
                ) : null}
              </th>
              <td data-label="Result">
                <StateBadge state={table.state} />
              </td>
              {COLUMNS.map(([title, read]) => (
                <td
                  class={`number ${TROUBLE.has(title) && read(table) > 0 ? 'error' : ''}`}
                  data-label={title}
                  key={title}
                >
                  {formatCount(read(table))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function progressOf({ note, rows_read, rows_estimated, records_read }: VerifiedTable): string {
  const rows = rows_estimated === null ? '' : ` of about ${formatCount(rows_estimated)}`
  return `${note ?? 'beginning'}; ${formatCount(records_read)} records, ${formatCount(rows_read)}${rows} rows`
}
