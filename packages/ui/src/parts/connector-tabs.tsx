import type { VNode } from 'preact'
import { connectorHref } from '../route.ts'

export interface ConnectorTabsProps {
  readonly name: string
  readonly current: 'connector' | 'configuration'
}

export function ConnectorTabs({ name, current }: ConnectorTabsProps): VNode {
  return (
    <nav class="tabs" aria-label="Connector">
      <a href={connectorHref(name)} aria-current={current === 'connector' ? 'page' : undefined}>
        Status
      </a>
      <a href={connectorHref(name, '/configuration')} aria-current={current === 'configuration' ? 'page' : undefined}>
        Configuration
      </a>
    </nav>
  )
}
