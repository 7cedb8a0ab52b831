import type { ConnectorHealth, LiveConnector, TimeToLoss as Loss } from '@tributary/rest-api'
import type { ComponentChildren, VNode } from 'preact'
import { connectorPath } from '../api/client.ts'
import { usePolled } from '../api/use-polled.ts'
import { formatBytes, formatCount, formatDuration, NOTHING } from '../format.ts'
import { lossKind, lossText, remainingText } from '../loss-text.ts'
import { Failure, Loading } from '../parts/messages.tsx'
import { Moment } from '../parts/moment.tsx'
import { Stale } from '../parts/stale.tsx'
import { worstState } from '../worst-state.ts'

/** The worker measures once in a minute. */
const READ_MS = 15_000

/** How long the database keeps the binlog that the connector still needs, and what to do when that is short. */
export function TimeToLoss({ connector }: { readonly connector: LiveConnector }): VNode {
  const path = `${connectorPath(connector.name)}/health`
  const loaded = usePolled<ConnectorHealth>(path, READ_MS)
  const { value, error, reload } = loaded
  return (
    <section aria-labelledby="loss" class="stack">
      <h2 id="loss">Time to loss</h2>
      {value === null && error !== null ? (
        <Failure title="The time to loss cannot be read" error={error} onRetry={reload} />
      ) : value === null ? (
        <Loading what="the time to loss" />
      ) : (
        <>
          <Stale of={loaded} />
          <LossNumbers loss={value.time_to_loss} connector={connector} />
        </>
      )}
    </section>
  )
}

function LossNumbers({ loss, connector }: { readonly loss: Loss; readonly connector: LiveConnector }): VNode {
  const advice = adviceFor(loss, connector)
  const notes = loss.status === 'unknown' && loss.problem === null ? loss.notes : []
  return (
    <>
      {advice.length === 0 ? null : (
        <div
          class={`notice ${loss.status === 'lost' ? 'bad' : 'wait'}`}
          role={loss.status === 'lost' ? 'alert' : 'status'}
        >
          {advice.map((sentence) => (
            <p class="prose" key={sentence}>
              {sentence}
            </p>
          ))}
        </div>
      )}
      <dl class="numbers">
        <Fact label="At the earliest">
          <span class={lossKind(loss)}>{lossText(loss)}</span>
        </Fact>
        <Fact label="Probably">{formatSeconds(loss.expected_seconds)}</Fact>
        <Fact label="The connector lags by">
          {formatBytes(loss.backlog_bytes)}
          {loss.backlog_files === null ? '' : ` in ${filesText(loss.backlog_files)}`}
        </Fact>
        <Fact label="The binlog grows by">
          {loss.growth_bytes_per_second === null ? NOTHING : `${formatBytes(loss.growth_bytes_per_second)}/s`}
        </Fact>
        <Fact label="Oldest file needed">{loss.needed_file ?? NOTHING}</Fact>
        <Fact label="Left until then">{leftOf(loss)}</Fact>
      </dl>
      <p class="soft prose">
        {[
          ...(loss.retention.length === 0 ? [] : [`Settings of the database: ${loss.retention.join(', ')}.`]),
          ...notes,
        ].join(' ')}
        {loss.measured_at === null ? null : (
          <>
            {' '}
            Measured at <Moment ms={loss.measured_at} />.
          </>
        )}
      </p>
    </>
  )
}

function Fact({ label, children }: { readonly label: string; readonly children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function formatSeconds(seconds: number | null): string {
  return seconds === null ? NOTHING : formatDuration(seconds * 1_000)
}

function filesText(files: number): string {
  return `${formatCount(files)} ${files === 1 ? 'file' : 'files'}`
}

function leftOf({ bytes, files }: Loss): string {
  const parts = [...(bytes === null ? [] : [formatBytes(bytes)]), ...(files === null ? [] : [filesText(files)])]
  return parts.length === 0 ? NOTHING : parts.join(' or ')
}

/** What is wrong and what to do, in sentences. Empty: nothing. */
function adviceFor(loss: Loss, connector: LiveConnector): readonly string[] {
  // The error of a task that has failed for this reason is the same text.
  const isKnown =
    loss.problem !== null && connector.tasks.some(({ trace }) => trace?.includes(loss.problem ?? '') === true)
  const problem = loss.problem === null || isKnown ? [] : [loss.problem]
  if (loss.status !== 'warning') return problem
  const state = worstState(connector)
  const keep = `Or let the database keep its binlog longer${loss.retention.length === 0 ? '' : ` (${loss.retention.join(', ')})`}.`
  return [remainingText(loss.seconds), ...problem, ACTIONS[state] ?? RUNNING_ACTION, keep]
}

const RUNNING_ACTION =
  'Find out why the connector lags: whether Kafka accepts its records (Waiting for Kafka), and what the log reports.'

const ACTIONS: Readonly<Record<string, string>> = {
  PAUSED: 'Resume the connector.',
  STOPPED: 'Resume the connector.',
  FAILED: 'Remove the cause of the error above, and restart what has failed.',
  UNASSIGNED: 'No worker runs the connector: see the log.',
}
