import { historyClientRefusals } from '@tributary/connector-kit'
import { converterRefusals } from '../converters/converter-refusals.ts'
import { postProcessorRefusals } from '../post-processors/post-processors.ts'
import { namedColumnRefusals } from './column-keys.ts'
import { engineRefusals } from './engine-properties.ts'

/**
 * Properties of Debezium that this version does not support. One that would change events (which columns, in which
 * form) is refused unless it has its neutral value: ignoring it could publish data that it hides. One that only tunes
 * is accepted, and the log reports that it has no effect.
 */
export interface LaterProperty {
  readonly matches: RegExp
  /** The value without an effect. */
  readonly neutral?: string
}

const REFUSED: readonly LaterProperty[] = [
  {
    matches: /^transaction\.metadata\.factory$/,
    neutral: 'io.debezium.pipeline.txmetadata.DefaultTransactionMetadataFactory',
  },
]

const IGNORED: readonly LaterProperty[] = [
  { matches: /^custom\.metric\.tags$/ },
  { matches: /^binlog\.buffer\.size$/, neutral: '0' },
]

/** Both lists, for the reference page. */
export const laterProperties: Readonly<Record<'refused' | 'ignored', readonly LaterProperty[]>> = {
  refused: REFUSED,
  ignored: IGNORED,
}

/** Refusals by property, for the validation of a configuration. */
export function refusedProperties(
  config: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const refusals: Record<string, readonly string[]> = {
    ...namedColumnRefusals(config),
    ...historyClientRefusals(config),
    ...engineRefusals(config),
    ...converterRefusals(config),
    ...postProcessorRefusals(config),
  }
  for (const name of asking(config, REFUSED)) {
    refusals[name] = [
      `The '${name}' value is invalid: This version of Tributary does not support it yet; without it, events would contain more data, or data in another form. Remove it only if that is intended`,
    ]
  }
  return refusals
}

/** Properties that are set and have no effect yet. */
export function ignoredProperties(config: Readonly<Record<string, string>>): readonly string[] {
  return asking(config, IGNORED)
}

function asking(config: Readonly<Record<string, string>>, properties: readonly LaterProperty[]): readonly string[] {
  return Object.entries(config)
    .filter(([name, value]) =>
      properties.some(({ matches, neutral }) => matches.test(name) && value.trim() !== '' && value.trim() !== neutral),
    )
    .map(([name]) => name)
}
