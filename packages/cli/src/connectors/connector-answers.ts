import type { ConnectorInfo, ConnectorStateInfo, ExpandedConnector } from '@tributary/rest-api'
import { cliErrors } from '../errors.ts'
import { RefusedError, type RestAnswer, type RestClient } from './rest-client.ts'

/** The path of a connector; names may have any characters. */
export function connectorPath(name: string, rest = ''): string {
  return `/connectors/${encodeURIComponent(name)}${rest}`
}

/** @throws SERVICE_FOREIGN when it is none */
function statusOf(client: RestClient, { json }: RestAnswer): ConnectorStateInfo {
  if (!isStatus(json)) throw notOurs(client, 'no status of a connector')
  return json
}

/** @throws SERVICE_FOREIGN when it is none */
export function infoOf(client: RestClient, { json }: RestAnswer): ConnectorInfo {
  if (!isObject(json) || !isObject(json['config']) || !Array.isArray(json['tasks'])) {
    throw notOurs(client, 'no connector')
  }
  return json as unknown as ConnectorInfo
}

/** @throws SERVICE_FOREIGN when it is none */
export function listOf(client: RestClient, { json }: RestAnswer): Readonly<Record<string, ExpandedConnector>> {
  const isList =
    isObject(json) && Object.values(json).every((each) => isObject(each) && isStatus(each['status'] ?? NONE))
  if (!isList) throw notOurs(client, 'no list of connectors')
  return json as Readonly<Record<string, ExpandedConnector>>
}

/** A connector that was deleted a moment ago has no status in the list. */
const NONE: unknown = { connector: { state: '' }, tasks: [] }

/** A status, read and as it came. */
export interface StatusAnswer {
  readonly status: ConnectorStateInfo
  readonly answer: RestAnswer
}

/** The status; null when nothing has reported one yet. */
export async function readStatus(client: RestClient, name: string): Promise<StatusAnswer | null> {
  try {
    const answer = await client.request('GET', connectorPath(name, '/status'))
    return { answer, status: statusOf(client, answer) }
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null
    throw error
  }
}

/** The texts of the warnings in the answer to a validation; none where the service does not have them. */
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

function notOurs(client: RestClient, what: string): Error {
  return cliErrors.SERVICE_FOREIGN({ request: 'the request', url: client.url, reason: `its JSON is ${what}` })
}
