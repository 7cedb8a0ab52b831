import type { VNode } from 'preact'
import { formatBytes, formatCount } from '../format.ts'
import { Empty } from '../parts/messages.tsx'

/** The counters that every task has, with their names for people. Others are shown under their own. */
const LABELS: Readonly<Record<string, string>> = {
  'records.polled': 'Records read',
  'records.dropped': 'Dropped by transformations',
  'records.sent': 'Records written',
  'records.acknowledged': 'Acknowledged by Kafka',
  'bytes.sent': 'Bytes before compression',
  commits: 'Positions stored',
  'commits.failed': 'Positions that could not be stored',
  'errors.records': 'Records with an error',
  'errors.failures': 'Failed attempts',
  'errors.skipped': 'Records skipped',
  'errors.retries': 'Attempts repeated',
  'errors.logged': 'Errors logged',
  'errors.producer': 'Errors of Kafka',
  'polls.retried': 'Reads repeated',
  'tables.healed': 'Table definitions read again',
  'tables.stopped': 'Tables stopped',
  'statements.not.understood': 'Statements not understood',
}

/** Numbers that should be zero. */
const TROUBLE = /failed|errors\.|stopped|not\.understood/

/** What the tasks have counted since they were started. */
export function Counters({ counters }: { readonly counters: Readonly<Record<string, number>> }): VNode {
  const known = Object.keys(LABELS)
  const rank = (name: string): number => (known.includes(name) ? known.indexOf(name) : known.length)
  const entries = Object.entries(counters).toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
  return (
    <section aria-labelledby="counters">
      <h2 id="counters">Since the start of the task</h2>
      {entries.length === 0 ? (
        <Empty title="No numbers: no task runs" />
      ) : (
        <table class="facts">
          <tbody>
            {entries.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{LABELS[name] ?? name}</th>
                <td class={`number ${value > 0 && TROUBLE.test(name) ? 'error' : ''}`}>
                  {name.startsWith('bytes.') ? formatBytes(value) : formatCount(value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
