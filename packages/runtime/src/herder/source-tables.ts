import type { ConfigMap, SourceTables } from '@tributary/connect-api'
import { describeError } from '@tributary/support'
import { ConfigProviders } from '../config/providers/config-providers.ts'
import type { CheckContext } from './config-checks.ts'
import { HerderError } from './herder-error.ts'

/**
 * The tables that a configuration could capture, as its server lists them. The configuration may lack what a login does
 * not need.
 *
 * @throws HerderError, with the reason without secrets
 */
export async function listSourceTables(
  { plugins, workerProperties, onStep }: CheckContext,
  config: ConfigMap,
  signal: AbortSignal,
): Promise<SourceTables> {
  const connector = plugins.source(config['connector.class'] ?? '')?.createConnector()
  if (connector?.tables === undefined) {
    throw new HerderError({ tag: 'validation failed', reason: 'This class of connectors has no list of tables' })
  }
  const { config: resolved, mask, errors } = ConfigProviders.of(workerProperties).resolve(config)
  const [unresolved] = errors
  if (unresolved !== undefined) {
    throw new HerderError({ tag: 'validation failed', reason: `${unresolved[0]}: ${String(unresolved[1])}` })
  }
  onStep?.(mask.text(`asking ${connector.server?.(resolved) ?? 'the server'}`))
  try {
    return await connector.tables(resolved, signal)
  } catch (error) {
    throw new HerderError({ tag: 'validation failed', reason: mask.text(describeError(error)) }, error)
  }
}
