import type { ConfigMap, SourceConnector } from '@tributary/connect-api'
import { describeError, StoppedError } from '@tributary/support'
import { HerderError } from '../herder-error.ts'
import { withoutNulls, type Check } from './check.ts'

/** What the connector finds in the outside world, its database for instance. It is asked about valid values only. */
export const checkConnectorValidation: Check = async (subject, findings) => {
  const { connector, config, hasStoredOffsets, onStep, signal } = subject
  const definition = connector.config()
  const isValid = definition.validate(config).every(({ errors }) => errors.length === 0)
  if (!isValid || Object.values(config).includes(null)) return
  const values = definition.parse(config)
  onStep(`asking ${serverOf(connector, withoutNulls(config))}`)
  try {
    const found = await connector.validate(values, withoutNulls(config), { hasStoredOffsets, signal })
    for (const [property, errors] of Object.entries(found)) findings.refuse(property, ...errors)
  } catch (error) {
    if (error instanceof StoppedError) throw new HerderError({ tag: 'worker stopping' }, error)
    throw new HerderError({ tag: 'validation failed', reason: describeError(error) }, error)
  }
}

/** The server that the connector asks, for messages. */
export function serverOf(connector: SourceConnector | undefined, config: ConfigMap): string {
  return connector?.server?.(config) ?? 'the server of the connector'
}
