/**
 * Properties of Debezium that this version does not act on. One that would change what is written (which columns, in which
 * form) is refused when it asks for anything: to ignore it would publish what it hides. One that only tunes or adds is
 * pointed out in the log.
 */
export interface LaterProperty {
  readonly matches: RegExp
  /** Value that asks for nothing. */
  readonly neutral?: string
  /** It asks for something more, where the others ask for less or for another form. */
  readonly adds?: true
}

const REFUSED: readonly LaterProperty[] = [
  { matches: /^column\.(include|exclude)\.list$/ },
  { matches: /^column\.mask\./ },
  { matches: /^column\.truncate\./ },
  { matches: /^(column|datatype)\.propagate\.source\.type$/ },
  { matches: /^message\.key\.columns$/ },
  { matches: /^converters$/ },
  { matches: /^post\.processors$/ },
  { matches: /^skipped\.operations$/, neutral: 't' },
  { matches: /^skip\.messages\.without\.change$/, neutral: 'false' },
  { matches: /^include\.query$/, neutral: 'false', adds: true },
  { matches: /^include\.schema\.comments$/, neutral: 'false', adds: true },
  { matches: /^provide\.transaction\.metadata$/, neutral: 'false', adds: true },
  { matches: /^topic\.naming\.strategy$/, neutral: 'io.debezium.schema.DefaultTopicNamingStrategy' },
  { matches: /^snapshot\.include\.collection\.list$/ },
  { matches: /^snapshot\.select\.statement\.overrides$/ },
  { matches: /^gtid\.source\.(includes|excludes)$/ },
  {
    matches: /^schema\.history\.internal$/,
    neutral: 'io.debezium.storage.kafka.history.KafkaSchemaHistory',
  },
]

const IGNORED: readonly LaterProperty[] = [
  { matches: /^heartbeat\.interval\.ms$/, neutral: '0' },
  { matches: /^heartbeat\.action\.query$/ },
  { matches: /^signal\.enabled\.channels$/, neutral: 'source' },
  { matches: /^signal\.(data\.collection|kafka\.topic)$/ },
  { matches: /^notification\.enabled\.channels$/ },
  { matches: /^snapshot\.delay\.ms$/, neutral: '0' },
  { matches: /^snapshot\.tables\.order\.by\.row\.count$/, neutral: 'disabled' },
  { matches: /^binlog\.buffer\.size$/, neutral: '0' },
]

/** Both lists, for the reference page. */
export const laterProperties: Readonly<Record<'refused' | 'ignored', readonly LaterProperty[]>> = {
  refused: REFUSED,
  ignored: IGNORED,
}

/** Refusals by property, for the answer to a registration. */
export function refusedProperties(
  config: Readonly<Record<string, string>>,
): Readonly<Record<string, readonly string[]>> {
  const refusals: Record<string, readonly string[]> = {}
  for (const name of asking(config, REFUSED)) {
    const isAddition = REFUSED.some(({ matches, adds }) => adds === true && matches.test(name))
    const effect = isAddition
      ? 'consumers that need what it adds would miss it. Remove it if yours can do without'
      : 'without it more, or otherwise formed, data would be written. Remove it only if that is what you want'
    refusals[name] = [`The '${name}' value is invalid: This version of Tributary does not support it yet; ${effect}`]
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
