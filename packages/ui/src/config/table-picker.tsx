import type { SourceTable, SourceTables } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { request } from '../api/client.ts'
import { formatBytes, formatCount, formatRows, NOTHING } from '../format.ts'
import { Empty, Failure } from '../parts/messages.tsx'
import type { Config } from './changes.ts'
import {
  areEmpty,
  areSameLists,
  capturesAll,
  chosenAmong,
  includeLists,
  isChosen,
  isNothing,
  listsOf,
  type Chosen,
  type Lists,
} from './include-lists.ts'

export interface TablePickerProps {
  readonly config: Config
  /** The properties to set; null removes one. */
  readonly onPicked: (lists: Lists) => void
}

/** More elements make the page slow; the field finds the others. */
const SHOWN_MAX = 300

const NONE: Chosen = { databases: new Set(), tables: new Map() }

/** The tables of the database as a tree, with their sizes. What is chosen becomes the include lists. */
export function TablePicker({ config, onPicked }: TablePickerProps): VNode {
  const [list, setList] = useState<SourceTables | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [chosen, setChosen] = useState(NONE)
  const read = async (): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      const path = `/connector-plugins/${encodeURIComponent(config['connector.class'] ?? '')}/config/tables`
      setList((await request('PUT', path, config)) as SourceTables)
    } catch (thrown) {
      setError(thrown as Error)
    }
    setBusy(false)
  }
  const current = listsOf(config)
  // From before the first choice: they apply again when nothing is chosen.
  const [before, setBefore] = useState(current)
  // Lists that a choice may replace: its own, and those that the visitor gave up.
  const [replaceable, setReplaceable] = useState<Lists | null>(null)
  const mayChoose = areEmpty(current) || (replaceable !== null && areSameLists(current, replaceable))
  const replace = (): void => {
    setChosen(NONE)
    setReplaceable(current)
  }
  const choose = (next: Chosen): void => {
    const first = isNothing(chosen) ? current : before
    const lists = isNothing(next) ? first : includeLists(next)
    setBefore(first)
    setChosen(next)
    setReplaceable(lists)
    onPicked(lists)
  }
  useEffect(() => {
    if (list === null || isNothing(chosen) || !mayChoose) return
    const kept = chosenAmong(chosen, list.tables)
    if (!areSameLists(includeLists(kept), includeLists(chosen))) choose(kept)
  }, [list])
  const hasLogin = (config['database.hostname'] ?? '') !== '' && (config['database.user'] ?? '') !== ''
  return (
    <section class="card" aria-labelledby="picker">
      <div class="head">
        <h2 id="picker">Tables</h2>
        <div class="buttons">
          <button type="button" disabled={isBusy || !hasLogin} onClick={() => void read()}>
            {isBusy ? 'Reading…' : list === null ? 'Choose from the database' : 'Read again'}
          </button>
        </div>
      </div>
      {hasLogin ? null : <p class="soft">With address and user of the database, the tables can be chosen here.</p>}
      {error === null ? null : <Failure title="The tables cannot be read" error={error} />}
      {list === null ? null : list.tables.length === 0 ? (
        <Empty title="This user can see no table" />
      ) : mayChoose ? (
        <Tree list={list} chosen={chosen} capturesAll={capturesAll(config)} onChosen={choose} />
      ) : (
        <Existing lists={current} onReplace={replace} />
      )}
    </section>
  )
}

function Existing({ lists, onReplace }: { readonly lists: Lists; readonly onReplace: () => void }): VNode {
  const set = Object.entries(lists).filter(([, list]) => (list ?? '') !== '')
  return (
    <div class="notice wait" role="status">
      <p class="prose">
        The configuration has lists already: {set.map(([name, list]) => `${name} = ${list}`).join(', ')}. A choice
        replaces them.
      </p>
      <button type="button" onClick={onReplace}>
        Choose instead
      </button>
    </div>
  )
}

interface TreeProps {
  readonly list: SourceTables
  readonly chosen: Chosen
  readonly capturesAll: boolean
  readonly onChosen: (chosen: Chosen) => void
}

function Tree({ list, chosen, capturesAll: isAll, onChosen }: TreeProps): VNode {
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const found = list.tables.filter(({ database, table }) => `${database}.${table}`.toLowerCase().includes(wanted))
  const databases = [...Map.groupBy(found.slice(0, SHOWN_MAX), ({ database }) => database)]
  const picked = list.tables.filter((table) => isChosen(chosen, table))
  return (
    <>
      <label class="field-inline">
        <span>Containing</span>
        <input
          type="search"
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
          onKeyDown={(event) => {
            // It would submit the form of the configuration.
            if (event.key === 'Enter') event.preventDefault()
          }}
        />
      </label>
      <div class="tree">
        {databases.map(([database, tables]) => (
          <DatabaseNode
            key={database}
            database={database}
            tables={tables}
            isOpen={wanted !== '' || databases.length === 1}
            chosen={chosen}
            onChosen={onChosen}
          />
        ))}
      </div>
      {found.length > SHOWN_MAX || !list.is_complete ? (
        <p class="soft">
          {formatCount(Math.min(found.length, SHOWN_MAX))} of {list.is_complete ? '' : 'more than '}
          {formatCount(list.tables.length)} tables are shown.
        </p>
      ) : null}
      <p role="status">
        {picked.length > 0
          ? `Chosen: ${totalOf(picked)}.`
          : isAll
            ? 'Nothing is chosen, and no list is set: the connector captures every database.'
            : 'Nothing is chosen: the lists below decide.'}
      </p>
    </>
  )
}

interface DatabaseNodeProps {
  readonly database: string
  readonly tables: readonly SourceTable[]
  readonly isOpen: boolean
  readonly chosen: Chosen
  readonly onChosen: (chosen: Chosen) => void
}

function DatabaseNode({ database, tables, isOpen, chosen, onChosen }: DatabaseNodeProps): VNode {
  const isWhole = chosen.databases.has(database)
  const toggleDatabase = (): void => {
    const databases = new Set(chosen.databases)
    if (!databases.delete(database)) databases.add(database)
    onChosen({ ...chosen, databases })
  }
  const toggleTable = (table: string): void => {
    const names = new Set(chosen.tables.get(database))
    if (!names.delete(table)) names.add(table)
    onChosen({ ...chosen, tables: new Map([...chosen.tables, [database, names]]) })
  }
  return (
    <div class="tree-node">
      <label class="check">
        <input type="checkbox" checked={isWhole} onChange={toggleDatabase} />
        <span>
          Database <b>{database}</b>
        </span>
        <span class="soft">{totalOf(tables)}</span>
      </label>
      <details open={isOpen}>
        <summary>
          {formatCount(tables.length)} {tables.length === 1 ? 'table' : 'tables'}
          <span class="hidden"> of {database}</span>
        </summary>
        {tables.map((table) => (
          <label class="check tree-leaf" key={table.table}>
            <input
              type="checkbox"
              checked={isChosen(chosen, table)}
              disabled={isWhole}
              onChange={() => toggleTable(table.table)}
            />
            <span class="value wrap">{table.table}</span>
            <span class="soft number">{table.rows === null ? NOTHING : formatRows(table.rows)}</span>
            <span class="soft number">{formatBytes(table.bytes)}</span>
          </label>
        ))}
      </details>
    </div>
  )
}

/** The sizes are the server's estimates, which can be off by half. */
function totalOf(tables: readonly SourceTable[]): string {
  const sum = (name: 'rows' | 'bytes'): number => tables.reduce((total, each) => total + (each[name] ?? 0), 0)
  const count = `${formatCount(tables.length)} ${tables.length === 1 ? 'table' : 'tables'}`
  return `${count}, about ${formatRows(sum('rows'))}, ${formatBytes(sum('bytes'))}`
}
