import type { ConnectorInfo, ConnectorStateInfo, ExpandedConnector } from '@tributary/rest-api'
import { cliErrors } from '../errors.ts'
import { RefusedError, type RestAnswer, type RestClient } from './rest-client.ts'

/** The path of a connector. A name may contain any character, so it is encoded. */
export function connectorPath(name: string, rest = ''): string {
  return `/connectors/${encodeURIComponent(name)}${rest}`
}

/** @throws SERVICE_FOREIGN if the answer is not the status of a connector */
function statusOf(client: RestClient, { json }: RestAnswer): ConnectorStateInfo {
  if (!isStatus(json)) throw foreign(client, 'not the status of a connector')
  return json
}

/** @throws SERVICE_FOREIGN if the answer is not a connector */
export function infoOf(client: RestClient, { json }: RestAnswer): ConnectorInfo {
  if (!isObject(json) || !isObject(json['config']) || !Array.isArray(json['tasks'])) {
    throw foreign(client, 'not a connector')
  }
  return json as unknown as ConnectorInfo
}

/** @throws SERVICE_FOREIGN if the answer is not a list of connectors */
export function listOf(client: RestClient, { json }: RestAnswer): Readonly<Record<string, ExpandedConnector>> {
  const isList =
    isObject(json) && Object.values(json).every((each) => isObject(each) && isStatus(each['status'] ?? NO_STATUS))
  if (!isList) throw foreign(client, 'not a list of connectors')
  return json as Readonly<Record<string, ExpandedConnector>>
}

/** The list may contain a connector that was just deleted, without a status. */
const NO_STATUS: unknown = { connector: { state: '' }, tasks: [] }

/** A status, and the answer that contained it. */
export interface StatusAnswer {
  readonly status: ConnectorStateInfo
  readonly answer: RestAnswer
}

/** The status; null when no worker has reported one yet. */
export async function readStatus(client: RestClient, name: string): Promise<StatusAnswer | null> {
  try {
    const answer = await client.request('GET', connectorPath(name, '/status'))
    return { answer, status: statusOf(client, answer) }
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null
    throw error
  }
}

/** The classes of the source connectors in the answer to `GET /connector-plugins`. */
export function sourceClassesOf({ json }: RestAnswer): readonly string[] {
  const plugins: readonly unknown[] = Array.isArray(json) ? json : []
  return plugins.flatMap((each) => (isObject(each) && each['type'] === 'source' ? [String(each['class'])] : []))
}

/** The warnings in the answer to a validation. Kafka Connect sends none. */
export function warningsOf({ json }: RestAnswer): readonly string[] {
  const warnings = isObject(json) ? json['warnings'] : undefined
  if (!Array.isArray(warnings)) return []
  return warnings.flatMap((each: unknown) => (isObject(each) ? [String(each['message'])] : []))
}

function isStatus(json: unknown): json is ConnectorStateInfo {
  return isObject(json) && isObject(json['connector']) && 'state' in json['connector'] && Array.isArray(json['tasks'])
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function foreign(client: RestClient, what: string): Error {
  return cliErrors.SERVICE_FOREIGN({ url: client.url, reason: `its JSON is ${what}` })
}
