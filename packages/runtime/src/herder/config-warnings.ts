import type { ConfigMap } from '@tributary/connect-api'
import type { ConfigWarning } from '@tributary/rest-api'
import { ConfigProviders, presentConfig } from '../config/providers/config-providers.ts'
import { settingNotes } from '../config/setting-notes.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { serverOf } from './checks/connector-validation.ts'
import type { CheckContext } from './config-checks.ts'
import { stageWarnings } from './stage-warnings.ts'

/**
 * Warnings about settings that a connector should not share with other connectors of the group. Compares the stored
 * configurations: equal references have the same value.
 */
export function sharingWarnings(
  { plugins }: { readonly plugins: Plugins },
  config: ConfigMap,
  others: ReadonlyMap<string, ConfigMap>,
): readonly ConfigWarning[] {
  const connector = plugins.source(config['connector.class'] ?? '')?.createConnector()
  const sourceConnectors = [...others].filter(([, other]) => plugins.source(other['connector.class'] ?? '') !== null)
  return toWarnings(connector?.conflicts?.(config, new Map(sourceConnectors)) ?? {})
}

export interface WarningsOptions extends CheckContext {
  readonly hasStoredOffsets: boolean
}

/**
 * The warnings of the runtime, of the connector itself, and of its transformations. The configuration must be valid, so
 * that its references have values.
 */
export async function connectorWarnings(
  { plugins, workerProperties, hasStoredOffsets, onStep }: WarningsOptions,
  config: ConfigMap,
  signal: AbortSignal,
): Promise<readonly ConfigWarning[]> {
  const connector = plugins.source(config['connector.class'] ?? '')?.createConnector()
  const providers = ConfigProviders.of(workerProperties)
  const { config: resolved, mask, errors } = providers.resolve(config)
  // A reference that lost its value since the validation would be used as the value itself.
  if (errors.size > 0) return []
  onStep?.(mask.text(`asking ${serverOf(connector, resolved)}`))
  const found = (await connector?.warnings?.(resolved, { hasStoredOffsets, signal })) ?? {}
  const notes = settingNotes(presentConfig(providers.resolve(workerProperties)), resolved)
  const all = [...notes, ...toWarnings(found), ...stageWarnings(plugins, resolved)]
  return all.map(({ property, message }) => ({ property, message: mask.text(message) }))
}

function toWarnings(found: Readonly<Record<string, readonly string[]>>): readonly ConfigWarning[] {
  return Object.entries(found).flatMap(([property, messages]) => messages.map((message) => ({ property, message })))
}
