import type { ConfigMap, PropertyEffect } from '@tributary/connect-api'
import { NAMED_COLUMN_PROPERTY } from './config/column-keys.ts'
import type { ConnectorKind } from './connector-kind.ts'
import { notedProperties } from './noted-properties.ts'

/** The effects of properties that the connector's definition does not describe. */
export function propertyEffects(kind: ConnectorKind, config: ConfigMap): Readonly<Record<string, PropertyEffect>> {
  const effects = new Map<string, PropertyEffect>()
  for (const name of Object.keys(config)) {
    const effect = READ_WITHOUT_DEFINITION.find(({ matches }) => matches.test(name))?.effect
    if (effect !== undefined) effects.set(name, effect)
  }
  for (const { name, code, reason } of notedProperties(kind, config)) {
    const sentence = `It ${reason}${/[.?]$/.test(reason) ? '' : '.'}`
    effects.set(name, code === 'PROPERTY_OLD' ? { tag: 'differently', how: sentence } : { tag: 'no effect', why: sentence })
  }
  return Object.fromEntries(effects)
}

const AS_BEFORE: PropertyEffect = { tag: 'as before', as: null }

const READ_WITHOUT_DEFINITION: readonly { readonly matches: RegExp; readonly effect: PropertyEffect }[] = [
  { matches: NAMED_COLUMN_PROPERTY, effect: AS_BEFORE },
  { matches: /^driver\.allowPublicKeyRetrieval$/, effect: AS_BEFORE },
  { matches: /^schema\.history\.internal\.(producer|consumer)\./, effect: AS_BEFORE },
  {
    matches: /^(database\.(connectionTimeZone|serverTimezone)|driver\.connectionTimeZone)$/,
    effect: { tag: 'no effect', why: 'Instants are read in UTC, whatever the time zone of the server is.' },
  },
]
