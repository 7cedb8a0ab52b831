import type { LiveConnector } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useLive } from '../api/use-live.ts'
import { databaseOf, formatAgo, formatBytes, formatCount, formatDuration, formatRate, NOTHING } from '../format.ts'
import { Empty, Loading } from '../parts/messages.tsx'
import { SparkLine } from '../parts/spark-line.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { lossKind, lossText, lossTitle } from '../loss-text.ts'
import { connectorHref } from '../route.ts'
import { worstState } from '../worst-state.ts'

/** All connectors, and the worker that runs them. */
export function OverviewView(): VNode {
  const { update, phase, isReadOnly } = useLive()
  if (update === null) {
    return (
      <>
        <div class="head">
          <h1>Connectors</h1>
        </div>
        {phase === 'lost' ? <Empty title="The worker does not answer" /> : <Loading what="the connectors" />}
      </>
    )
  }
  const failed = update.connectors.filter((connector) => worstState(connector) === 'FAILED').length
  return (
    <>
      <div class="head">
        <h1>Connectors</h1>
        <span class="count">
          {formatCount(update.connectors.length)}
          {failed === 0 ? '' : `, ${failed} failed`}
        </span>
        {isReadOnly ? null : (
          <a class="button primary" href="#/new">
            New connector
          </a>
        )}
      </div>
      {update.connectors.length > 0 ? (
        <ConnectorTable connectors={update.connectors} />
      ) : update.health.status === 'starting' ? (
        <Loading what="the connectors" />
      ) : (
        <Empty title="No connector yet">
          <p>A connector copies the tables of a database to topics, and then each change of them.</p>
        </Empty>
      )}
      <WorkerNumbers />
    </>
  )
}

function ConnectorTable({ connectors }: { readonly connectors: readonly LiveConnector[] }): VNode {
  return (
    <table class="list overview">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">State</th>
          <th scope="col">Written</th>
          <th scope="col" class="number">
            Records/s
          </th>
          <th scope="col" class="number">
            Lag
          </th>
          <th scope="col" class="number">
            Last change
          </th>
          <th scope="col" class="number">
            Time to loss
          </th>
        </tr>
      </thead>
      <tbody>
        {connectors.map((connector) => (
          <ConnectorRow key={connector.name} connector={connector} />
        ))}
      </tbody>
    </table>
  )
}

/** The line shows the last five minutes. */
const SPARK_SAMPLES = 150

function ConnectorRow({ connector }: { readonly connector: LiveConnector }): VNode {
  const { series, update } = useLive()
  const { name, className, sample, lastLagMs, lastRecordMs, timeToLoss } = connector
  const [ms, , written] = sample
  const values = (series.get(name)?.samples ?? []).slice(-SPARK_SAMPLES).map(([, , each]) => each)
  const failure = firstLine(connector)
  return (
    <tr>
      <th scope="row">
        <a class="name" href={connectorHref(name)}>
          {name}
        </a>
        <span class="soft">{databaseOf(className)}</span>
        {failure === null ? null : <span class="error one-line">{failure}</span>}
      </th>
      <td data-label="State">
        <StateBadge state={worstState(connector)} />
      </td>
      <td data-label="Written">
        <SparkLine values={values} label={`Records written per second, now ${formatRate(written)}`} />
      </td>
      <td class="number" data-label="Records/s">
        {formatRate(written)}
      </td>
      <td class="number" data-label="Lag">
        {formatDuration(lastLagMs)}
      </td>
      <td class="number" data-label="Last change">
        {lastRecordMs === null ? NOTHING : formatAgo(lastRecordMs, update?.worker[0] ?? ms)}
      </td>
      <td class={`number ${lossKind(timeToLoss)}`} data-label="Time to loss" title={lossTitle(timeToLoss)}>
        {lossText(timeToLoss)}
      </td>
    </tr>
  )
}

function firstLine({ trace, tasks }: LiveConnector): string | null {
  const text = trace ?? tasks.find((task) => task.trace !== null)?.trace ?? null
  return text?.split('\n', 1)[0] ?? null
}

function WorkerNumbers(): VNode {
  const { worker, start, update } = useLive()
  const last = worker.at(-1)
  const [ms = 0, resident = 0, cpu = 0, delayMs = 0] = last ?? []
  const numbers: readonly (readonly [string, string])[] = [
    ['Uptime', start === null ? NOTHING : formatDuration(ms - start.startedMs)],
    ['Memory', formatBytes(resident)],
    ['Processor', `${formatCount(cpu * 100)} % of a core`],
    ['Delay of the main thread', formatDuration(delayMs)],
    ['Build', start?.version ?? NOTHING],
  ]
  return (
    <section aria-labelledby="worker">
      <h2 id="worker">Worker</h2>
      <dl class="numbers">
        <div>
          <dt>State</dt>
          <dd>{update === null ? NOTHING : <StateBadge state={update.health.status} />}</dd>
        </div>
        {numbers.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
