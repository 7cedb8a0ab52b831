import type { ConfigMap, PropertyEffect, SourceConnector } from '@tributary/connect-api'
import { type ClientKind, overridesWithoutEffect } from '../config/client-settings.ts'
import { TOPIC_CREATION_PREFIX } from '../config/topic-creation-keys.ts'
import { topicCreationNotes } from '../config/topic-creation-notes.ts'
import type { Plugins } from '../plugins/plugins.ts'
import { type DefinedKeys, definedKeys } from './defined-keys.ts'
import { StageEffects } from './stage-effects.ts'

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
  /** What warnings of the checks are about, by property. */
  readonly noted: ReadonlyMap<string, PropertyEffect>
}

/**
 * What becomes of each property of a configuration that worked in Kafka Connect, in its order; then the properties that
 * are refused because they are missing.
 */
export function propertyEffects({
  plugins,
  connector,
  config,
  refusals,
  noted,
}: EffectsOptions): readonly PropertyReport[] {
  const keys = definedKeys(plugins, connector, config)
  const effects = new Map(Object.entries(connector.effects?.(config) ?? {}))
  const stages = new StageEffects(plugins, config)
  const properties = Object.keys(config)
  const missing = [...refusals.keys()].filter((name) => !properties.includes(name))
  return [...properties, ...missing].flatMap((property): readonly PropertyReport[] => {
    const reasons = refusals.get(property) ?? []
    if (reasons.length > 0) return [{ property, effect: { tag: 'refused', reasons } }]
    if (!properties.includes(property)) return []
    const ofStage = stages.of(property)
    const effect =
      noted.get(property) ??
      effects.get(property) ??
      (ofStage?.tag === 'no effect' ? ofStage : null) ??
      effectOfKey(keys, property) ??
      ofStage ??
      effectOfClient(config, property)
    return [{ property, effect }]
  })
}

const AS_BEFORE: PropertyEffect = { tag: 'as before', note: null }

function effectOfKey(keys: DefinedKeys, property: string): PropertyEffect | null {
  const key = keys.get(property)
  if (key !== undefined) return key.difference ?? AS_BEFORE
  const renamed = [...keys.values()].find(({ aliases = [] }) => aliases.includes(property))
  if (renamed === undefined) return null
  return renamed.difference ?? { tag: 'as before', note: `as ${renamed.name}` }
}

const CONVERTER = /^((?:key|value|header)\.converter)\./

/** Options of converters and clients, which these read themselves. */
function effectOfClient(config: ConfigMap, property: string): PropertyEffect {
  const converter = CONVERTER.exec(property)?.[1]
  if (converter !== undefined && config[converter] === undefined) {
    const why = `${converter} is not set, so that the converter of the worker is used with the worker's options, as in Kafka Connect.`
    return { tag: 'no effect', why }
  }
  if (converter !== undefined) return AS_BEFORE
  if (property.startsWith(TOPIC_CREATION_PREFIX)) return effectOfTopicCreation(config, property)
  const client = /^(producer|admin)\.override\./.exec(property)?.[1] as ClientKind | undefined
  if (client === undefined) return { tag: 'no effect', why: 'Nothing reads it in this version.' }
  const reason = overridesWithoutEffect(client, config).get(property.slice(`${client}.override.`.length))
  return reason === undefined ? AS_BEFORE : { tag: 'no effect', why: `It has no effect: ${reason}.` }
}

/** A worker whose settings are unknown lets connectors create topics, as by default. */
function effectOfTopicCreation(config: ConfigMap, property: string): PropertyEffect {
  const why = topicCreationNotes({ 'topic.creation.enable': 'true' }, config)[property]
  return why === undefined ? AS_BEFORE : { tag: 'no effect', why: `${why}.` }
}
