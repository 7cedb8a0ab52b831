import type { VNode } from 'preact'
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

export function ConnectorTabs({ name, current }: ConnectorTabsProps): VNode {
  return (
    <nav class="tabs" aria-label="Connector">
      {TABS.map(([tab, path, title]) => (
        <a key={tab} href={connectorHref(name, path)} aria-current={tab === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
