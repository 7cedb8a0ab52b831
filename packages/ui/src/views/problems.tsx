import type { ConnectorHealth, HealthProblem, LiveConnector } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { connectorPath } from '../api/client.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatCount } from '../format.ts'
import { Moment } from '../parts/moment.tsx'

const READ_MS = 5_000

/** The failures that the worker or the task retries: since when, how often, when next, and the action to take. */
export function Problems({ connector }: { readonly connector: LiveConnector }): VNode | null {
  const { value } = usePolled<ConnectorHealth>(`${connectorPath(connector.name)}/health`, READ_MS)
  if (value === null) return null
  const ofTasks = value.tasks.flatMap(({ id, problems }) => problems.map((each) => ({ subject: `Task ${id}`, each })))
  const all = [...(value.problem === null ? [] : [{ subject: 'The connector', each: value.problem }]), ...ofTasks]
  // A failure that is not retried is the error of the status, which is shown already.
  const shown = all.filter(({ each }) => each.activity !== null || each.next_at !== null)
  if (shown.length === 0) return null
  return (
    <section aria-label="Problems and retries" class="stack">
      {shown.map(({ subject, each }) => (
        <div class="notice wait" role="status" key={`${subject} ${each.activity ?? ''}`}>
          <p class="notice-title">
            {subject} {each.activity === null ? 'is started again by the worker' : `retries ${each.activity}`}
          </p>
          <p class="prose">{each.activity === null ? each.action : [each.message, each.action].join(' ')}</p>
          <p class="soft">
            <Course of={each} />
          </p>
        </div>
      ))}
    </section>
  )
}

function Course({ of: { attempts, since, next_at: next } }: { readonly of: HealthProblem }): VNode {
  return (
    <>
      {attempts === 1 ? 'Failed once' : `Failed ${formatCount(attempts)} times`}
      {since === null ? '' : ', first at '}
      {since === null ? null : <Moment ms={since} />}
      {next === null ? '' : '; next attempt at '}
      {next === null ? null : <Moment ms={next} />}.
    </>
  )
}
