import type { VNode } from 'preact'
import { useLive } from '../api/use-live.ts'
import { connectorHref } from '../route.ts'

export type ConnectorTab = 'connector' | 'events' | 'compare' | 'configuration'

export interface ConnectorTabsProps {
  readonly name: string
  readonly current: ConnectorTab
}

const TABS: readonly (readonly [tab: ConnectorTab, path: string, title: string])[] = [
  ['connector', '', 'Status'],
  ['events', '/events', 'Events'],
  ['compare', '/compare', 'Compare'],
  ['configuration', '/configuration', 'Configuration'],
]

/** Without the tab of records for a user who may not read them. */
export function ConnectorTabs({ name, current }: ConnectorTabsProps): VNode {
  const { mayReadEvents } = useLive()
  const tabs = TABS.filter(([tab]) => tab !== 'events' || mayReadEvents)
  return (
    <nav class="tabs" aria-label="Connector">
      {tabs.map(([tab, path, title]) => (
        <a key={tab} href={connectorHref(name, path)} aria-current={tab === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
