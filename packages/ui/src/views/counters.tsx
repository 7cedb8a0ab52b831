import type { VNode } from 'preact'
import { COUNTER_NAMES } from '../counter-names.ts'
import { formatBytes, formatCount } from '../format.ts'
import { Empty } from '../parts/messages.tsx'

/** Numbers that should be zero. */
const TROUBLE = /failed|errors\.|stopped|not\.understood|tooLarge|aborted/

/** What the tasks have counted since they were started. */
export function Counters({ counters }: { readonly counters: Readonly<Record<string, number>> }): VNode {
  const known = Object.keys(COUNTER_NAMES)
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
                <th scope="row">{COUNTER_NAMES[name] ?? name}</th>
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
