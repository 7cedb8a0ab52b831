import type { ConfigMap } from '@tributary/connect-api'
import type { ConfigWarning } from '@tributary/rest-api'
import { ConfigProviders } from '../config/providers/config-providers.ts'
import type { ValidatorContext } from './connector-validator.ts'

/**
 * What a connector has in common with the others of the group that it had better not. The configurations are compared as they are
 * stored: references that are alike stand for the same.
 */
export function sharingWarnings(
  { plugins }: Pick<ValidatorContext, 'plugins'>,
  config: ConfigMap,
  others: ReadonlyMap<string, ConfigMap>,
): readonly ConfigWarning[] {
  const connector = plugins.source(config['connector.class'] ?? '')?.createConnector()
  const ofItsKind = [...others].filter(([, other]) => plugins.source(other['connector.class'] ?? '') !== null)
  return listed(connector?.conflicts?.(config, new Map(ofItsKind)) ?? {})
}

/** What the connector itself warns of. The configuration is valid, so that its references have values. */
export async function connectorWarnings(
  { plugins, workerProperties, hasOffsets }: ValidatorContext,
  config: ConfigMap,
  signal: AbortSignal,
): Promise<readonly ConfigWarning[]> {
  const connector = plugins.source(config['connector.class'] ?? '')?.createConnector()
  const { config: resolved, mask, errors } = ConfigProviders.of(workerProperties).resolve(config)
  // A reference that is gone since the validation would be asked for as it stands.
  if (errors.size > 0) return []
  const hasStoredOffsets = hasOffsets?.(config['name'] ?? '') ?? false
  const found = (await connector?.warnings?.(resolved, { hasStoredOffsets, signal })) ?? {}
  return listed(found).map(({ property, message }) => ({ property, message: mask.text(message) }))
}

function listed(found: Readonly<Record<string, readonly string[]>>): readonly ConfigWarning[] {
  return Object.entries(found).flatMap(([property, messages]) => messages.map((message) => ({ property, message })))
}
