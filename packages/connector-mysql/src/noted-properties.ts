import type { ConfigMap } from '@tributary/connect-api'
import { connectorKeys } from './config/connector-keys.ts'
import { currentConfig } from './config/current-config.ts'
import { fieldsOfV2 } from './config/fields-of-v2.ts'
import { ignoredProperties } from './config/later-keys.ts'
import { overrideWarnings } from './config/snapshot-overrides.ts'
import { unusedRouteProperties } from './config/topic-strategies.ts'
import { unknownProperties } from './config/unknown-properties.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { converterProperties } from './converters/converter-refusals.ts'
import { postProcessorProperties } from './post-processors/post-processors.ts'
import { UNAVAILABLE_PLACEHOLDER } from './values/unavailable-value.ts'

/** A property that a user should change, although it is not an error. */
export interface NotedProperty {
  readonly name: string
  readonly code: 'PROPERTY_OLD' | 'PROPERTY_INEFFECTIVE'
  /** The end of a sentence that begins with the property: how it is read, or why it has no effect. */
  readonly reason: string
}

/** Properties with old names or values, and those without effect: of another version, of other programs, misspelt. */
export function notedProperties(kind: ConnectorKind, given: ConfigMap): readonly NotedProperty[] {
  const { config, oldProperties } = currentConfig(kind.sslModes, given)
  const known = [
    ...connectorKeys(kind).map(({ name, aliases = [] }) => ({ name, aliases })),
    ...[...converterProperties(config), ...postProcessorProperties(config), UNAVAILABLE_PLACEHOLDER].map((name) => ({
      name,
      aliases: [],
    })),
  ]
  const ineffective = (name: string, reason: string): NotedProperty => ({ name, code: 'PROPERTY_INEFFECTIVE', reason })
  return [
    ...oldProperties.map(({ name, reason }): NotedProperty => ({ name, code: 'PROPERTY_OLD', reason })),
    ...ignoredProperties(config).map((name) => ineffective(name, 'has no effect in this version')),
    ...unusedRouteProperties(config).map((name) => ineffective(name, WITHOUT_ROUTE)),
    ...overrideWarnings(config).map(({ name, reason }) => ineffective(name, reason)),
    ...unknownProperties(config, known).map(({ name, reason }) => ineffective(name, reason)),
  ]
}

const WITHOUT_ROUTE =
  'has no effect: topic.naming.strategy is not one with Regex, such as io.debezium.schema.DefaultRegexTopicNamingStrategy'

/**
 * Properties that a new connector cannot satisfy in the record format v1. The format of one that continues depends on
 * its offset, and its task logs them.
 */
export function notedFields(kind: ConnectorKind, given: ConfigMap): readonly NotedProperty[] {
  const { config } = currentConfig(kind.sslModes, given)
  if (config['source.struct.version']?.trim().toLowerCase() === 'v2') return []
  return fieldsOfV2(config).map(({ name, reason }) => ({ name, code: 'PROPERTY_INEFFECTIVE', reason }))
}

/** A noted property as a sentence. */
export function noteText({ name, reason }: NotedProperty): string {
  return `The property ${name} ${reason}`
}
