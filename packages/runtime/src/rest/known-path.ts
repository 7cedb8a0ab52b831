import { routes } from '@tributary/rest-api'

const methodsByPath = groupMethods()

/** The paths of Kafka Connect's interface, with `{parameters}`. */
export const knownPaths: readonly string[] = [...methodsByPath.keys()]

/** The order in which Kafka Connect lists methods. */
const methodOrder = ['HEAD', 'DELETE', 'POST', 'GET', 'OPTIONS', 'PUT', 'PATCH']

/** The methods of a known path, including those that every path has. */
export function allowedMethods(path: string): readonly string[] {
  const methods = methodsByPath.get(path) ?? new Set()
  return methodOrder.filter((method) => methods.has(method))
}

/** Whether Kafka Connect's interface has a path, for any method. The path is one that `routableUrl` returned. */
export function isKnownPath(path: string): boolean {
  const segments = path.split('/')
  return knownPaths.some((known) => matches(known.split('/'), segments))
}

function matches(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false
  return segments.every((segment, i) =>
    pattern[i]?.startsWith('{') === true ? segment !== '' : segment === pattern[i],
  )
}

function groupMethods(): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>()
  for (const { path, method } of Object.values(routes)) {
    const methods = groups.get(path) ?? new Set(['OPTIONS'])
    methods.add(method)
    if (method === 'GET') methods.add('HEAD')
    groups.set(path, methods)
  }
  return groups
}
