import { NAMED_COLUMN_PROPERTY } from './column-keys.ts'
import { foreignReason } from './foreign-properties.ts'
import { laterProperties } from './later-keys.ts'
import { invisibleCharacters, type KnownProperty, similarProperty } from './similar-property.ts'
import { unusedAlias } from './unused-alias.ts'

export interface UnknownProperty {
  readonly name: string
  /** The end of a sentence that begins with the property: why it has no effect, and which one was probably intended. */
  readonly reason: string
}

/** Properties that no component reads: a misspelt filter would otherwise capture every table without a warning. */
export function unknownProperties(
  config: Readonly<Record<string, string>>,
  known: readonly KnownProperty[],
): readonly UnknownProperty[] {
  const names = new Set(known.flatMap(({ name, aliases }) => [name, ...aliases]))
  const later = [...laterProperties.refused, ...laterProperties.ignored]
  return Object.keys(config).flatMap((name): readonly UnknownProperty[] => {
    if (names.has(name) || NAMED_COLUMN_PROPERTY.test(name)) return []
    if (later.some(({ matches }) => matches.test(name))) return []
    const unused = unusedAlias(name, config)
    if (unused !== null) return [{ name, reason: unused }]
    if (INTENDED.has(name)) return []
    const foreign = foreignReason(name)
    if (foreign !== null) return [{ name, reason: foreign }]
    return OTHERS.test(name) ? [] : [{ name, reason: unknownReason(name, known) }]
  })
}

function unknownReason(name: string, known: readonly KnownProperty[]): string {
  const similar = similarProperty(name, known)
  const suggestion = similar === null ? '' : `. Did you mean ${similar}?`
  const invisible = invisibleCharacters(name)
  if (invisible === '') return `is not known and has no effect${suggestion}`
  return `is not known and has no effect: its name contains the invisible character ${invisible}${suggestion}`
}

/** Settings of the driver that have an effect, or that a check reports. */
const INTENDED: ReadonlySet<string> = new Set([
  'database.connectionTimeZone',
  'database.serverTimezone',
  'database.timezone',
  'connection.timezone',
  'driver.connectionTimeZone',
  'driver.allowPublicKeyRetrieval',
])

/** Properties of the runtime, its converters and clients, and the clients of schema history and signals. */
const OTHERS =
  /^((name|connector\.class|task\.class|connector\.plugin\.version|tasks\.max(\.enforce)?|config\.action\.reload|exactly\.once\.support|offsets\.storage\.topic|schema\.history\.internal)$|((key|value|header)\.converter|transforms|predicates)(\.|$)|snapshot\.select\.statement\.overrides\.|(errors|retriable\.restart\.connector|topic\.creation|transaction\.boundary|(producer|consumer|admin)\.override|schema\.history\.internal|signal\.consumer|internal)\.)/
