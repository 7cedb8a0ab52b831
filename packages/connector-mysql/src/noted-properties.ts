import type { ConfigMap } from '@tributary/connect-api'
import type { ConnectorKind } from './connector-kind.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { ignoredProperties } from './config/later-keys.ts'
import { unusedRouteProperties } from './config/topic-strategies.ts'
import { unknownProperties } from './config/unknown-properties.ts'

export interface IneffectiveProperty {
  readonly name: string
  /** Why it has no effect, and which property was probably intended. */
  readonly reason: string
}

/** Properties that are set and have no effect: of another version, or misspelt. */
export function ineffectiveProperties(kind: ConnectorKind, config: ConfigMap): readonly IneffectiveProperty[] {
  const known = connectorKeys(kind).flatMap(({ name, aliases = [] }) => [name, ...aliases])
  return [
    ...ignoredProperties(config).map((name) => ({ name, reason: 'has no effect in this version' })),
    ...unusedRouteProperties(config).map((name) => ({ name, reason: WITHOUT_ROUTE })),
    ...unknownProperties(config, known).map(({ name, suggestion }) => ({
      name,
      reason: `is not known and has no effect${suggestion === null ? '' : `. Did you mean ${suggestion}?`}`,
    })),
  ]
}

const WITHOUT_ROUTE =
  'has no effect: topic.naming.strategy is not one with Regex, such as io.debezium.schema.DefaultRegexTopicNamingStrategy'
