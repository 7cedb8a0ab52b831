import type { LiveConnector, LiveNotification, StateChange } from '@tributary/rest-api'
import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { useLive } from '../api/use-live.ts'
import { ActionDialog, type Action } from '../parts/action-dialog.tsx'
import { notificationText } from '../notification-text.ts'
import { ConnectorHead } from '../parts/connector-head.tsx'
import { lazyView } from '../parts/lazy-view.tsx'
import { Empty, Loading } from '../parts/messages.tsx'
import { Moment } from '../parts/moment.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { actionsFor } from './connector-actions.ts'
import { Counters } from './counters.tsx'
import type { ChartsProps } from './charts.tsx'
import { Position, Topics } from './position.tsx'
import { Problems } from './problems.tsx'
import { Tables } from './tables.tsx'
import { TimeToLoss } from './time-to-loss.tsx'

const Charts = lazyView<ChartsProps>({ what: 'the plots', load: async () => (await import('./charts.tsx')).Charts })

/** What a connector does, its errors, its position, and what can be done to it. */
export function ConnectorView({ name }: { readonly name: string }): VNode {
  const live = useLive()
  const [action, setAction] = useState<Action | null>(null)
  const [change, setChange] = useState(0)
  const connector = live.update?.connectors.find((each) => each.name === name)
  if (live.update === null || (connector === undefined && live.update.health.status === 'starting')) {
    return (
      <>
        <ConnectorHead name={name} current="connector" />
        {live.phase === 'lost' ? <Empty title="The worker does not answer" /> : <Loading what="the connector" />}
      </>
    )
  }
  if (connector === undefined) {
    return (
      <Empty isView title={`There is no connector ${name}`}>
        <p>It may have been deleted.</p>
        <a href="#/">All connectors</a>
      </Empty>
    )
  }
  const { samples, changes, notifications } = live.series.get(name) ?? { samples: [], changes: [], notifications: [] }
  return (
    <>
      <ConnectorHead name={name} current="connector">
        {live.isReadOnly ? null : (
          <div class="buttons">
            {actionsFor(connector).map((each) => (
              <button
                type="button"
                key={each.label}
                class={each.isDangerous === true ? 'danger-quiet' : ''}
                onClick={() => setAction(each)}
              >
                {each.label}…
              </button>
            ))}
          </div>
        )}
      </ConnectorHead>
      <Errors connector={connector} />
      <Problems connector={connector} />
      <TimeToLoss connector={connector} />
      <Charts samples={samples} connector={connector} />
      <Tables name={name} />
      <div class="columns">
        <Position key={`position ${change} ${connector.state}`} name={name} />
        <Changes changes={changes} />
        <Snapshots notifications={notifications} />
        <Counters counters={connector.counters} />
        <Topics key={`topics ${change}`} name={name} />
      </div>
      {action === null ? null : (
        <ActionDialog
          action={action}
          onClose={() => setAction(null)}
          onDone={() => {
            setAction(null)
            setChange(change + 1)
            if (action.method === 'DELETE' && action.confirmation !== undefined && action.label === 'Delete') {
              location.hash = '#/'
            }
          }}
        />
      )}
    </>
  )
}

function Errors({ connector }: { readonly connector: LiveConnector }): VNode | null {
  const failures = [
    { place: 'The connector has failed', trace: connector.trace },
    ...connector.tasks.map(({ id, trace }) => ({ place: `Task ${id} has failed`, trace })),
  ].filter((each): each is { place: string; trace: string } => each.trace !== null)
  if (failures.length === 0) return null
  return (
    <section aria-label="Errors">
      {failures.map(({ place, trace }) => {
        const [first = '', ...rest] = trace.split('\n')
        return (
          <div class="notice bad" role="alert" key={place}>
            <p class="notice-title">{place}</p>
            <p class="prose">{messageOf(first)}</p>
            {rest.length === 0 ? null : (
              <details>
                <summary>Complete error</summary>
                <pre>{trace}</pre>
              </details>
            )}
          </div>
        )
      })}
    </section>
  )
}

/** The first line of a trace without the name of its class. The message says what happened, where, and what to do. */
function messageOf(line: string): string {
  return line.replace(/^[\w.$]+(?:Exception|Error): /, '')
}

const CHANGES_SHOWN = 25

function Changes({ changes }: { readonly changes: readonly StateChange[] }): VNode {
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">States</h2>
      {changes.length === 0 ? (
        <Empty title="No state yet" />
      ) : (
        <ol class="timeline">
          {changes
            .slice(-CHANGES_SHOWN)
            .toReversed()
            .map(({ ms, task, from, to }) => (
              <li key={`${ms} ${task}`}>
                <Moment ms={ms} />
                <span>
                  {task === null ? 'connector' : `task ${task}`} <StateBadge state={to} />
                  {from === null ? null : <span class="soft"> after {from.toLowerCase()}</span>}
                </span>
              </li>
            ))}
        </ol>
      )}
      <p class="soft">Since this worker started, looked at every two seconds.</p>
    </section>
  )
}

/** Nothing without a snapshot since the worker started. */
function Snapshots({ notifications }: { readonly notifications: readonly LiveNotification[] }): VNode | null {
  if (notifications.length === 0) return null
  return (
    <section aria-labelledby="snapshots">
      <h2 id="snapshots">Snapshots</h2>
      <ol class="timeline">
        {notifications
          .slice(-CHANGES_SHOWN)
          .toReversed()
          .map((each) => (
            <li key={`${each.ms} ${each.type} ${each.data['scanned_collection'] ?? ''}`}>
              <Moment ms={each.ms} />
              <span>{notificationText(each)}</span>
            </li>
          ))}
      </ol>
      <p class="soft">Since this worker started.</p>
    </section>
  )
}
