import type { ConfigMap, PropertyEffect } from '@tributary/connect-api'
import { NAMED_COLUMN_PROPERTY } from './config/column-keys.ts'
import { laterProperties } from './config/later-keys.ts'
import { converterProperties } from './converters/converter-refusals.ts'
import { postProcessorProperties } from './post-processors/post-processors.ts'

/** The effects of properties that the connector's definition does not describe. */
export function propertyEffects(config: ConfigMap): Readonly<Record<string, PropertyEffect>> {
  const effects: Record<string, PropertyEffect> = {}
  const named = new Set([...converterProperties(config), ...postProcessorProperties(config)])
  for (const name of Object.keys(config)) {
    const effect = named.has(name) ? AS_BEFORE : UNDEFINED.find(({ matches }) => matches.test(name))?.effect
    if (effect !== undefined) effects[name] = effect
  }
  return effects
}

const AS_BEFORE: PropertyEffect = { tag: 'as before', note: null }

const UNDEFINED: readonly { readonly matches: RegExp; readonly effect: PropertyEffect }[] = [
  { matches: NAMED_COLUMN_PROPERTY, effect: AS_BEFORE },
  { matches: /^driver\.allowPublicKeyRetrieval$/, effect: AS_BEFORE },
  { matches: /^schema\.history\.internal\.(producer|consumer)\./, effect: AS_BEFORE },
  {
    matches: /^(database\.(connectionTimeZone|serverTimezone)|driver\.connectionTimeZone)$/,
    effect: { tag: 'no effect', why: 'Instants are read in UTC, whatever the time zone of the server is.' },
  },
  // With any other than its neutral value, such a property has an error or a warning, which counts.
  ...[...laterProperties.refused, ...laterProperties.ignored].map(({ matches }) => ({ matches, effect: AS_BEFORE })),
]
