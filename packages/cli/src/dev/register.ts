import type { ConfigMap } from '@tributary/connect-api'
import { cliErrors } from '../errors.ts'
import { connectorPath, infoOf } from '../connectors/connector-answers.ts'
import { RefusedError, type RestClient } from '../connectors/rest-client.ts'

/** The stored configuration of a connector; null: no connector has that name. */
export async function storedConfig(client: RestClient, name: string): Promise<ConfigMap | null> {
  try {
    return infoOf(client, await client.request('GET', connectorPath(name))).config
  } catch (error) {
    if (error instanceof RefusedError && error.status === 404) return null
    throw error
  }
}

/**
 * Registers the connector, or changes it if it has another configuration.
 *
 * @throws DEV_REFUSED
 */
export async function registerConnector(
  client: RestClient,
  { name, config, stored }: { readonly name: string; readonly config: ConfigMap; readonly stored: ConfigMap | null },
): Promise<void> {
  try {
    if (stored === null) await client.request('POST', '/connectors', JSON.stringify({ name, config }))
    else if (isDifferent({ ...config, name }, { ...stored, name })) {
      await client.request('PUT', connectorPath(name, '/config'), JSON.stringify(config))
    }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    throw cliErrors.DEV_REFUSED({ connector: name, reason: error.message }, error)
  }
}

function isDifferent(a: ConfigMap, b: ConfigMap): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].some((name) => a[name] !== b[name])
}
