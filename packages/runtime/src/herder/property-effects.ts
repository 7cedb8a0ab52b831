import type { ConfigMap, PropertyEffect, SourceConnector } from '@tributary/connect-api'
import type { Plugins } from '../plugins/plugins.ts'
import { LIST_OF, type StageKind, stageSpecs } from '../plugins/stage-spec.ts'
import { type DefinedKeys, definedKeys } from './defined-keys.ts'

/** What becomes of one property of a configuration. */
export interface PropertyReport {
  readonly property: string
  readonly effect: PropertyEffect | RefusedProperty
}

export interface RefusedProperty {
  readonly tag: 'refused'
  /** Why, and what to do instead. */
  readonly reasons: readonly string[]
}

export interface EffectsOptions {
  readonly plugins: Plugins
  readonly connector: SourceConnector
  readonly config: ConfigMap
  /** The errors of all checks, by property. */
  readonly refusals: ReadonlyMap<string, readonly string[]>
}

/**
 * What becomes of each property of a configuration that worked in Kafka Connect, in its order; then the properties that
 * are refused because they are missing.
 */
export function propertyEffects({ plugins, connector, config, refusals }: EffectsOptions): readonly PropertyReport[] {
  const keys = definedKeys(plugins, connector, config)
  const effects = new Map(Object.entries(connector.effects?.(config) ?? {}))
  const properties = Object.keys(config)
  const missing = [...refusals.keys()].filter((name) => !properties.includes(name))
  return [...properties, ...missing].flatMap((property): readonly PropertyReport[] => {
    const reasons = refusals.get(property) ?? []
    if (reasons.length > 0) return [{ property, effect: { tag: 'refused', reasons } }]
    if (!properties.includes(property)) return []
    const effect =
      effects.get(property) ??
      effectOfKey(keys, property) ??
      effectOfStage(plugins, config, property) ??
      effectOfClient(config, property)
    return [{ property, effect }]
  })
}

const AS_BEFORE: PropertyEffect = { tag: 'as before', as: null }

function effectOfKey(keys: DefinedKeys, property: string): PropertyEffect | null {
  const key = keys.get(property)
  if (key !== undefined) return key.difference ?? AS_BEFORE
  const renamed = [...keys.values()].find(({ aliases = [] }) => aliases.includes(property))
  if (renamed === undefined) return null
  return renamed.difference ?? { tag: 'as before', as: renamed.name }
}

const LISTS: readonly StageKind[] = ['transformation', 'predicate']

/** Options of transformations and predicates that no definition contains. */
function effectOfStage(plugins: Plugins, config: ConfigMap, property: string): PropertyEffect | null {
  const kind = LISTS.find((each) => property.startsWith(`${LIST_OF[each]}.`))
  if (kind === undefined) return null
  const spec = stageSpecs(kind, config).find(({ prefix }) => property.startsWith(prefix))
  if (spec === undefined) return { tag: 'no effect', why: `${LIST_OF[kind]} does not list this alias.` }
  const { className } = spec
  // The error is reported under the property `type`.
  if (className === null || plugins.stage(kind, className) === null) {
    return { tag: 'no effect', why: `The ${kind} ${spec.alias} has no class that is known here.` }
  }
  return { tag: 'no effect', why: `${className} has no option ${property.slice(spec.prefix.length)}.` }
}

const CONVERTER = /^((?:key|value|header)\.converter)\./

/** Options of converters and clients, which these read themselves. */
function effectOfClient(config: ConfigMap, property: string): PropertyEffect {
  const converter = CONVERTER.exec(property)?.[1]
  if (converter !== undefined && config[converter] === undefined) {
    const why = `${converter} is not set, so that the converter of the worker is used with the worker's options, as in Kafka Connect.`
    return { tag: 'no effect', why }
  }
  if (converter !== undefined || property.startsWith('producer.override.')) return AS_BEFORE
  return { tag: 'no effect', why: 'Nothing reads it in this version.' }
}
