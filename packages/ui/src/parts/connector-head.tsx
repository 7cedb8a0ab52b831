import type { ComponentChildren, VNode } from 'preact'
import { useLive } from '../api/use-live.ts'
import { databaseOf } from '../format.ts'
import { worstState } from '../worst-state.ts'
import { ConnectorTabs, type ConnectorTab } from './connector-tabs.tsx'
import { StateBadge } from './state-badge.tsx'

export interface ConnectorHeadProps {
  readonly name: string
  readonly current: ConnectorTab
  /** Buttons. */
  readonly children?: ComponentChildren
}

/** The name of a connector with its state, and the tabs of its views. */
export function ConnectorHead({ name, current, children }: ConnectorHeadProps): VNode {
  const { update } = useLive()
  const connector = update?.connectors.find((each) => each.name === name)
  return (
    <>
      <div class="head">
        <h1>{name}</h1>
        {connector === undefined ? null : (
          <>
            <StateBadge state={worstState(connector)} />
            <span class="soft">{databaseOf(connector.className)}</span>
          </>
        )}
        {children}
      </div>
      <ConnectorTabs name={name} current={current} />
    </>
  )
}
