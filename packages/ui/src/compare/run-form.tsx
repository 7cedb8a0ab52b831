import type { ConnectorTables } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { connectorPath } from '../api/client.ts'
import { useLoaded } from '../api/use-loaded.ts'

export interface RunRequest {
  readonly tables?: readonly string[]
  readonly rate?: number
}

export interface RunFormProps {
  readonly name: string
  /** One comparison of a connector runs at a time. */
  readonly isRunning: boolean
  readonly onStart: (request: RunRequest) => Promise<void>
}

/** More would be a long list to look through; the field accepts every table. */
const OFFERED_MAX = 100

/** What is compared, and how fast. */
export function RunForm({ name, isRunning, onStart }: RunFormProps): VNode {
  const [isAll, setAll] = useState(true)
  const [tables, setTables] = useState<TableNames>({ ticked: [], typed: '' })
  const [rate, setRate] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const chosen = namesOf(tables)
  const start = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      await onStart({ ...(isAll ? {} : { tables: chosen }), ...(rate === '' ? {} : { rate: Number(rate) }) })
    } catch (thrown) {
      setError(thrown as Error)
    }
    setBusy(false)
  }
  return (
    <form
      class="card"
      aria-labelledby="compare-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy && !isRunning) void start()
      }}
    >
      <h2 id="compare-form">Compare tables with their topics</h2>
      <p class="soft prose">
        The worker reads the tables and their topics and reports each row that differs. Nothing is locked, and the
        connector continues. Two million rows take about half a minute and 350 MB of memory.
      </p>
      <div class="form-row">
        <fieldset class="choice">
          <legend class="hidden">Tables</legend>
          <label>
            <input type="radio" name="tables" checked={isAll} onChange={() => setAll(true)} />
            All tables
          </label>
          <label>
            <input type="radio" name="tables" checked={!isAll} onChange={() => setAll(false)} />
            Only some
          </label>
        </fieldset>
        <label class="field-inline">
          <span>Rows per second, at most</span>
          <input
            type="number"
            min="1"
            step="1"
            class="short"
            placeholder="no limit"
            value={rate}
            onInput={({ currentTarget }) => setRate(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={isBusy || isRunning || (!isAll && chosen.length === 0)}>
          {isRunning ? 'A comparison runs' : isBusy ? 'Starting…' : 'Compare'}
        </button>
      </div>
      {isAll ? null : <TableChoice name={name} tables={tables} onChange={setTables} />}
      {error === null ? null : (
        <p class="error prose" role="alert">
          {error.message}
        </p>
      )}
    </form>
  )
}

interface TableChoiceProps {
  readonly name: string
  readonly tables: TableNames
  readonly onChange: (tables: TableNames) => void
}

function TableChoice({ name, tables, onChange }: TableChoiceProps): VNode {
  const known = useLoaded<ConnectorTables>(`${connectorPath(name)}/tables`)
  const { ticked, typed } = tables
  const offered = (known.value?.tables ?? []).filter(({ table }) => table !== 'other').slice(0, OFFERED_MAX)
  const toggle = (table: string): void =>
    onChange({
      ticked: ticked.includes(table) ? ticked.filter((each) => each !== table) : [...ticked, table],
      typed,
    })
  return (
    <>
      <label class="field">
        <span>Tables, as database.table, one in a line</span>
        <textarea
          rows={2}
          value={typed}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onChange({ ticked, typed: currentTarget.value })}
        />
      </label>
      {offered.length === 0 ? null : (
        <fieldset class="checks">
          <legend class="soft">Tables with changes since the task started</legend>
          {offered.map(({ table }) => (
            <label class="check" key={table}>
              <input type="checkbox" checked={ticked.includes(table)} onChange={() => toggle(table)} />
              {table}
            </label>
          ))}
        </fieldset>
      )}
    </>
  )
}

/** The name of a table may have a comma. */
interface TableNames {
  readonly ticked: readonly string[]
  /** One in a line. */
  readonly typed: string
}

function namesOf({ ticked, typed }: TableNames): readonly string[] {
  const lines = typed.split('\n').map((line) => line.trim())
  return [...new Set([...ticked, ...lines.filter((line) => line !== '')])]
}
