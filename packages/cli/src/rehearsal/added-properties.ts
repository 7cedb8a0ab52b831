import { shownValue } from '@tributary/runtime'

type Config = Readonly<Record<string, string>>

export interface AddedProperties {
  /** Properties to add to the configuration for the move. */
  readonly added: Config
  /** The names of properties with secrets, whose values must not be printed. */
  readonly secret: readonly string[]
}

/**
 * The properties of a rehearsal that the configuration of the connector lacks, with references: those of `--set`, and
 * the converters of its worker, which may differ from those of the connector's next worker.
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

/** The converters, with the defaults of a worker that configures none. */
const CONVERTERS = [
  { property: 'key.converter', fallback: 'org.apache.kafka.connect.json.JsonConverter' },
  { property: 'value.converter', fallback: 'org.apache.kafka.connect.json.JsonConverter' },
  { property: 'header.converter', fallback: 'org.apache.kafka.connect.storage.SimpleHeaderConverter' },
]
