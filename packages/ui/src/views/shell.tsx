import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { storedLogin, storeLogin } from '../api/login.ts'
import { useLive } from '../api/use-live.ts'
import { Boundary } from '../parts/boundary.tsx'
import { ConnectorHead } from '../parts/connector-head.tsx'
import { Empty } from '../parts/messages.tsx'
import { StateBadge } from '../parts/state-badge.tsx'
import { ThemeChoice } from '../parts/theme.tsx'
import { useRoute, type Route } from '../route.ts'
import { lazyView } from '../parts/lazy-view.tsx'
import { ConnectorView } from './connector.tsx'
import { LogView } from './log.tsx'
import { LoginView } from './login.tsx'
import { OverviewView } from './overview.tsx'

interface OfConnector {
  readonly name: string
}

const CompareView = lazyView<OfConnector>({
  what: 'the comparisons',
  load: async () => (await import('../compare/compare.tsx')).CompareView,
  heading: ({ name }) => <ConnectorHead name={name} current="compare" />,
})
const EventsView = lazyView<OfConnector>({
  what: 'the events',
  load: async () => (await import('../events/events.tsx')).EventsView,
  heading: ({ name }) => <ConnectorHead name={name} current="events" />,
})
const ConfigurationView = lazyView<OfConnector>({
  what: 'the configuration',
  load: async () => (await import('./configuration.tsx')).ConfigurationView,
  heading: ({ name }) => <ConnectorHead name={name} current="configuration" />,
})
const NewConnectorView = lazyView<object>({
  what: 'the properties',
  load: async () => (await import('./new-connector.tsx')).NewConnectorView,
  heading: () => <h1>New connector</h1>,
})

/** The frame around each view: navigation, the state of the worker and of the connection. */
export function Shell(): VNode {
  const live = useLive()
  const route = useRoute()
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  const place = JSON.stringify(route)
  useEffect(() => {
    document.title = titleOf(route)
    // Readers of screens begin with the new view. Not when the page opens.
    if (!isFirst.current) {
      main.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    isFirst.current = false
  }, [place])
  if (live.phase === 'denied') return <LoginView hasFailed={storedLogin() !== null} onLogin={() => live.connect()} />
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => focusMain(event, main.current)}>
        Skip to the content
      </a>
      <Header route={route} />
      <ConnectionNotice />
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary key={place}>
          <View route={route} />
        </Boundary>
      </main>
    </>
  )
}

function focusMain(event: Event, main: HTMLElement | null): void {
  event.preventDefault()
  main?.focus()
}

function Header({ route }: { readonly route: Route }): VNode {
  const live = useLive()
  const current = (isCurrent: boolean): 'page' | undefined => (isCurrent ? 'page' : undefined)
  const isOverview = route.view !== 'log' && route.view !== 'new'
  return (
    <header class="top">
      <a class="brand" href="#/">
        Tributary
      </a>
      <nav aria-label="Views">
        <a href="#/" aria-current={current(isOverview)}>
          Connectors
        </a>
        <a href="#/log" aria-current={current(route.view === 'log')}>
          Log
        </a>
      </nav>
      <div class="top-end">
        {live.isReadOnly ? <span class="tag">Read only</span> : null}
        {live.update === null ? null : <StateBadge state={live.update.health.status} />}
        <ThemeChoice />
        {storedLogin() === null ? null : (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              storeLogin(null)
              live.connect()
            }}
          >
            Sign out
          </button>
        )}
      </div>
    </header>
  )
}

/** What keeps the page from being up to date. */
function ConnectionNotice(): VNode | null {
  const { phase, update } = useLive()
  if (phase === 'lost') {
    return (
      <p class="strip bad" role="alert">
        The worker does not answer. What you see is what it reported last; the page connects again by itself.
      </p>
    )
  }
  if (phase === 'full') {
    return (
      <p class="strip bad" role="alert">
        Too many pages of this worker are open. Close some; this one connects again by itself.
      </p>
    )
  }
  if (update !== null && update.health.status !== 'healthy') {
    return (
      <p class={`strip ${update.health.status === 'unhealthy' ? 'bad' : 'wait'}`} role="status">
        {update.health.message}
      </p>
    )
  }
  return null
}

function View({ route }: { readonly route: Route }): VNode {
  switch (route.view) {
    case 'overview':
      return <OverviewView />
    case 'connector':
      return <ConnectorView key={route.name} name={route.name} />
    case 'events':
      return <EventsView key={route.name} name={route.name} />
    case 'compare':
      return <CompareView key={route.name} name={route.name} />
    case 'configuration':
      return <ConfigurationView key={route.name} name={route.name} />
    case 'new':
      return <NewConnectorView />
    case 'log':
      return <LogView />
    case 'unknown':
      return (
        <Empty isView title="There is no such page">
          <a href="#/">All connectors</a>
        </Empty>
      )
  }
}

function titleOf(route: Route): string {
  switch (route.view) {
    case 'connector':
      return `${route.name} · Tributary`
    case 'events':
      return `Events of ${route.name} · Tributary`
    case 'compare':
      return `Comparisons of ${route.name} · Tributary`
    case 'configuration':
      return `Configuration of ${route.name} · Tributary`
    case 'new':
      return 'New connector · Tributary'
    case 'log':
      return 'Log · Tributary'
    default:
      return 'Tributary'
  }
}
