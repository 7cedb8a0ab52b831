import type { ConfigMap } from '@tributary/connect-api'
import type { ConnectorKind } from './connector-kind.ts'
import { connectorKeys } from './config/connector-keys.ts'
import { ignoredProperties } from './config/later-keys.ts'
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
    ...unknownProperties(config, known).map(({ name, suggestion }) => ({
      name,
      reason: `is not known and has no effect${suggestion === null ? '' : `. Did you mean ${suggestion}?`}`,
    })),
  ]
}
