import type { ConfigKey } from '@tributary/connect-api'
import type { ConfigInfo, ConfigInfos, ConfigKeyInfo } from '@tributary/rest-api'
import { isStageGroup } from '../plugins/stage-keys.ts'
import type { CheckedProperty } from './connector-validator.ts'

/** The document of a validation (Connect's ConfigInfos). */
export function configInfos(className: string, properties: readonly CheckedProperty[]): ConfigInfos {
  const keys = properties.map(({ key }) => key).filter((key) => key !== null)
  const definitions = new Map(keyInfos(keys).map((info) => [info.name, info]))
  return {
    name: className,
    error_count: properties.reduce((sum, { errors }) => sum + errors.length, 0),
    groups: [...new Set(keys.map(({ group }) => group).filter((group) => group !== undefined))],
    configs: properties.map((property) => configInfo(property, definitions.get(property.name) ?? null)),
  }
}

function configInfo({ name, key, value, errors }: CheckedProperty, definition: ConfigKeyInfo | null): ConfigInfo {
  const recommended = key?.recommendedValues ?? []
  return { definition, value: { name, value, recommended_values: recommended, errors, visible: true } }
}

/** The properties of a plug-in in the order of definition, which also numbers them within their groups. */
export function keyInfos(keys: readonly ConfigKey[]): readonly ConfigKeyInfo[] {
  const counts = new Map<string, number>()
  return keys.map((key) => {
    const { group } = key
    // Connect counts from 0 in the groups of aliases, and from 1 in others.
    const order = group === undefined ? -1 : (counts.get(group) ?? (isStageGroup(group) ? -1 : 0)) + 1
    if (group !== undefined) counts.set(group, order)
    return keyInfo(key, order)
  })
}

function keyInfo(key: ConfigKey, order: number): ConfigKeyInfo {
  const { name, type, defaultValue, documentation } = key
  const isHidden = type === 'PASSWORD' && defaultValue !== undefined && defaultValue !== null
  return {
    name,
    type,
    required: defaultValue === undefined,
    default_value: isHidden ? '[hidden]' : (defaultValue ?? null),
    importance: key.importance ?? 'LOW',
    documentation,
    group: key.group ?? null,
    order_in_group: order,
    width: key.width ?? 'NONE',
    display_name: key.displayName ?? name,
    dependents: key.dependents ?? [],
  }
}
