import { shownValue } from '@tributary/runtime'

type Config = Readonly<Record<string, string>>

export interface AddedProperties {
  /** To be added to the configuration for the move. */
  readonly added: Config
  /** Names of those with secrets, whose values nothing may print. */
  readonly secret: readonly string[]
}

/**
 * What a rehearsal had besides the configuration of the connector, with references: the properties of `--set`, and the
 * converters of the worker, which the worker that runs the connector later may not have.
 */
export function addedProperties(original: Config, given: Config, worker: Config): AddedProperties {
  const all = { ...inherited({ ...original, ...given }, worker), ...given }
  const secret = Object.keys(all).filter((property) => {
    const value = all[property] ?? ''
    return shownValue(property, value) !== value
  })
  const added = Object.entries(all).filter(
    ([property, value]) => property !== 'name' && !secret.includes(property) && original[property] !== value,
  )
  return { added: Object.fromEntries(added), secret }
}

function inherited(config: Config, worker: Config): Config {
  return Object.fromEntries(
    CONVERTERS.filter(({ property }) => config[property] === undefined).flatMap(({ property, fallback }) => {
      const own = Object.entries(worker).filter(([name]) => name === property || name.startsWith(`${property}.`))
      return [...(worker[property] === undefined ? [[property, fallback] as const] : []), ...own]
    }),
  )
}

/** With those of a worker that names none. */
const CONVERTERS = [
  { property: 'key.converter', fallback: 'org.apache.kafka.connect.json.JsonConverter' },
  { property: 'value.converter', fallback: 'org.apache.kafka.connect.json.JsonConverter' },
  { property: 'header.converter', fallback: 'org.apache.kafka.connect.storage.SimpleHeaderConverter' },
]
