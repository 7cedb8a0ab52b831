import { useEffect, useState } from 'preact/hooks'

/** Views of a connector, as in its addresses. */
const PARTS = ['events', 'compare', 'configuration'] as const
type ConnectorPart = (typeof PARTS)[number]

/** What the address shows. Names of connectors are encoded in it. */
export type Route =
  | { readonly view: 'overview' }
  | { readonly view: 'connector' | ConnectorPart; readonly name: string }
  | { readonly view: 'new' }
  | { readonly view: 'log' }
  | { readonly view: 'unknown' }

export function parseRoute(hash: string): Route {
  const [first = '', second, third, ...more] = hash.replace(/^#\/?/, '').split('/')
  if (first === '' && second === undefined) return { view: 'overview' }
  if ((first === 'log' || first === 'new') && second === undefined) return { view: first }
  if (first === 'connectors' && second !== undefined && second !== '' && more.length === 0) {
    const name = decode(second)
    if (name !== null && third === undefined) return { view: 'connector', name }
    const part = PARTS.find((each) => each === third)
    if (name !== null && part !== undefined) return { view: part, name }
  }
  return { view: 'unknown' }
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export function connectorHref(name: string, part = ''): string {
  return `#/connectors/${encodeURIComponent(name)}${part}`
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash))
  useEffect(() => {
    const onChange = (): void => setRoute(parseRoute(location.hash))
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [])
  return route
}
