import { CodedError, silentLogger, systemClock } from '@tributary/support'
import { kafkaOptionsFromProperties } from './config/client-properties.ts'
import { producerOptionsFromProperties } from './config/producer-properties.ts'
import type { Properties } from './config/property-reader.ts'
import { createKafka } from './create-kafka.ts'

export interface ClientRefusal {
  /** The property that the error is about, as the configuration has it. */
  readonly property: string
  readonly error: CodedError
}

export interface ClientToCheck {
  /** The properties of the client, with those of the configuration among them. */
  readonly properties: Properties
  /** The configuration, whose properties have a prefix. The prefix that is used last is first. */
  readonly config: Properties
  readonly prefixes: readonly string[]
}

/**
 * Why a Kafka client cannot be created from properties: an invalid or missing setting, a store that cannot be read, a
 * package that is not installed. Null when it can. It reads the files that the properties name, and does not connect.
 */
export function clientRefusal({ properties, config, prefixes }: ClientToCheck): ClientRefusal | null {
  try {
    const options = kafkaOptionsFromProperties(properties)
    producerOptionsFromProperties(properties)
    createKafka({ ...options, logger: silentLogger, clock: systemClock })
    return null
  } catch (thrown) {
    if (!(thrown instanceof CodedError)) throw thrown
    return { property: propertyOf(thrown.message, config, prefixes), error: thrown }
  }
}

/** The property whose name is in the message; of several, the one that the message names first. */
function propertyOf(message: string, config: Properties, prefixes: readonly string[]): string {
  const found = prefixes.flatMap((prefix) =>
    Object.keys(config)
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ name, at: message.indexOf(name.slice(prefix.length)) }))
      .filter(({ at }) => at >= 0),
  )
  const [first] = found.toSorted((a, b) => a.at - b.at || b.name.length - a.name.length)
  return first?.name ?? `${prefixes[0] ?? ''}security.protocol`
}
