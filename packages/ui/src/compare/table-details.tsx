import type { FieldDifference, RowDifference, VerifiedTable } from '@tributary/rest-api'
import { Fragment, type VNode } from 'preact'
import { formatCount } from '../format.ts'

const KINDS: Readonly<Record<RowDifference['kind'], string>> = {
  missing: 'missing in the topic',
  extra: 'only in the topic',
  different: 'different',
  without_tombstone: 'deleted, without a tombstone',
}

/** What a comparison found in a table: differences with their keys, and what it could not compare. Null: nothing. */
export function TableDetails({ table }: { readonly table: VerifiedTable }): VNode | null {
  const { differences, unproven, excluded_columns: excluded, note, state, position } = table
  const hasNote = note !== null && state !== 'RUNNING' && state !== 'WAITING'
  if (differences.length === 0 && unproven.length === 0 && excluded.length === 0 && !hasNote) return null
  const all = table.missing + table.extra + table.different + table.without_tombstone
  return (
    <details class="card" open={differences.length > 0}>
      <summary>
        <b>{table.table}</b>{' '}
        <span class="soft">
          {differences.length === 0
            ? 'what could not be compared'
            : all === 1
              ? '1 difference'
              : `${formatCount(all)} differences`}
        </span>
      </summary>
      {position === null ? null : (
        <p class="soft wrap">
          Compared at {position}, topic {table.topic}.
        </p>
      )}
      {hasNote ? <p class="prose">{note}</p> : null}
      {differences.length === 0 ? null : <Differences differences={differences} all={all} />}
      {unproven.map(({ reason, rows }) => (
        <p class="prose" key={reason}>
          Not proved for {formatCount(rows)} rows: {reason}
        </p>
      ))}
      {excluded.map(({ column, reason }) => (
        <p class="prose" key={column}>
          Not compared: <code>{column}</code>: {reason}
        </p>
      ))}
    </details>
  )
}

function Differences({
  differences,
  all,
}: {
  readonly differences: readonly RowDifference[]
  readonly all: number
}): VNode {
  return (
    <>
      <table class="list differences">
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">What</th>
            <th scope="col">Table</th>
            <th scope="col">Topic</th>
            <th scope="col">Record</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference) => (
            <DifferenceRow key={`${difference.kind} ${JSON.stringify(difference.key)}`} difference={difference} />
          ))}
        </tbody>
      </table>
      {all > differences.length ? (
        <p class="soft">
          The first {formatCount(differences.length)} of {formatCount(all)}.
        </p>
      ) : null}
    </>
  )
}

function DifferenceRow({ difference }: { readonly difference: RowDifference }): VNode {
  const { kind, key, fields, partition, offset } = difference
  const side = (name: 'table' | 'topic'): VNode =>
    fields.every((field) => field[name] === undefined) ? (
      <i class="soft">no row</i>
    ) : (
      <ul class="plain values">
        {fields.map((field) => (
          <li key={field.column}>
            <span class="soft">{field.column}</span> <ValueOf field={field} side={name} />
          </li>
        ))}
      </ul>
    )
  return (
    <tr>
      <th scope="row" class="value">
        {Object.entries(key).map(([column, value], i) => (
          <Fragment key={column}>
            {i === 0 ? '' : ', '}
            {column}=<TextOf value={value} />
          </Fragment>
        ))}
      </th>
      <td data-label="What">{KINDS[kind]}</td>
      <td data-label="Table">{side('table')}</td>
      <td data-label="Topic">{side('topic')}</td>
      <td data-label="Record" class="soft">
        {offset === null ? 'none' : `partition ${partition}, offset ${offset}`}
      </td>
    </tr>
  )
}

function ValueOf({ field, side }: { readonly field: FieldDifference; readonly side: 'table' | 'topic' }): VNode {
  const value = field[side]
  if (value === undefined) return <i class="soft">nothing</i>
  return <TextOf value={value} />
}

/** In another style than the values: a text may be the word NULL. */
function TextOf({ value }: { readonly value: string | null }): VNode {
  if (value === null) return <i class="soft">NULL</i>
  return value === '' ? <i class="soft">empty</i> : <span class="value">{value}</span>
}
