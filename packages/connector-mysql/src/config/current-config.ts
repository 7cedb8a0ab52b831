import { oldNameOf, type OldName } from './old-names.ts'
import { oldValuesWith } from './old-values.ts'

/** A property under an old name, or with an old value. */
export interface OldProperty {
  /** As the configuration has it. */
  readonly name: string
  /** How it is read, as the end of a sentence that begins with the property. */
  readonly reason: string
}

export interface CurrentConfig<V> {
  /** With the names and values of Debezium 3.6. */
  readonly config: Readonly<Record<string, V | string>>
  readonly oldProperties: readonly OldProperty[]
}

/**
 * Replaces the names and values of earlier releases of Debezium in a configuration by the present ones. A property that
 * is also set under its present name keeps that value, unless it is blank. A configuration without old names and values
 * stays as it is.
 *
 * @param sslModes those of the connector
 */
export function currentConfig<V extends string | null | undefined>(
  sslModes: readonly string[],
  given: Readonly<Record<string, V>>,
): CurrentConfig<V> {
  const config: Record<string, V | string> = {}
  const oldProperties: OldProperty[] = []
  const report = (name: string, reason: string): void => void oldProperties.push({ name, reason })
  for (const [name, value] of Object.entries(given)) {
    const successor = oldNameOf(name)
    if (successor === null) {
      // An old name of the same property may have replaced a blank value already.
      if (!isBlank(value) || isBlank(config[name])) config[name] = value
      continue
    }
    const converted = convertedValue(successor, value, given)
    if (converted === NO_EQUIVALENT) {
      report(name, `has no equivalent in ${successor.name}, and no effect`)
      continue
    }
    const present = isBlank(given[successor.name]) ? config[successor.name] : given[successor.name]
    if (isBlank(present)) config[successor.name] = converted
    report(name, renamed(successor, isBlank(present) ? 'used' : present === converted ? 'equal' : 'different'))
  }
  replaceValues(sslModes, config, report)
  return { config, oldProperties }
}

const NO_EQUIVALENT = Symbol('no equivalent')

function convertedValue<V extends string | null | undefined>(
  { convert }: OldName,
  value: V,
  given: Readonly<Record<string, V>>,
): V | string | typeof NO_EQUIVALENT {
  if (convert === undefined || typeof value !== 'string') return value
  const topicPrefix = given['topic.prefix'] ?? given['database.server.name'] ?? ''
  return convert(value, topicPrefix) ?? NO_EQUIVALENT
}

function renamed({ name, until }: OldName, use: 'used' | 'equal' | 'different'): string {
  if (use === 'used') return until === null ? `is read as ${name}` : `is an old name: it is read as ${name}`
  return use === 'equal'
    ? `has no effect, because ${name} is set, to the same value. Remove it`
    : `has no effect, because ${name} is set, to another value, which counts. Remove it`
}

function replaceValues(
  sslModes: readonly string[],
  config: Record<string, string | null | undefined>,
  report: (name: string, reason: string) => void,
): void {
  for (const { property, old, value, difference } of oldValuesWith(sslModes)) {
    const given = config[property]?.trim()
    if (given?.toLowerCase() !== old.toLowerCase() || given === value) continue
    config[property] = value
    report(
      property,
      `has the old value ${given}, which is read as ${value}${difference === '' ? '' : `. ${difference}`}`,
    )
  }
}

function isBlank(value: string | null | undefined): boolean {
  return value === undefined || value?.trim() === ''
}
