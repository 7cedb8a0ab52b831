/** Makes a name one that Avro takes, or leaves it as it is. */
export type NameAdjuster = (name: string) => string

/** `schema.name.adjustment.mode` and `field.name.adjustment.mode`. */
export type NameAdjustment = 'none' | 'avro' | 'avro_unicode'

export const nameAdjustments: readonly NameAdjustment[] = ['none', 'avro', 'avro_unicode']

/**
 * Debezium's adjusters (SchemaNameAdjuster), by Java's characters of 16 bits: `avro` puts an underscore for what Avro does not take,
 * and before a digit in front; `avro_unicode` puts `_u` and the character's number, also for underscores, so that no two names become
 * one. Names of schemas may have dots.
 */
export function nameAdjuster(adjustment: NameAdjustment, kind: 'schema' | 'field'): NameAdjuster {
  if (adjustment === 'none') return (name) => name
  const isUnicode = adjustment === 'avro_unicode'
  const first = isUnicode ? /[A-Za-z]/ : /[A-Za-z_]/
  const later = kind === 'schema' ? /[0-9.]/ : /[0-9]/
  const replacement = isUnicode ? unicodeOf : () => '_'
  return (name) => {
    let adjusted = ''
    for (let i = 0; i < name.length; i++) {
      const character = name.charAt(i)
      const isTaken = first.test(character) || (i > 0 && later.test(character))
      adjusted += isTaken ? character : replacement(character)
      if (!isTaken && i === 0 && !isUnicode && /[0-9]/.test(character)) adjusted += character
    }
    return adjusted
  }
}

/** As Debezium pads it: two zeros before one digit, too. */
function unicodeOf(character: string): string {
  const hex = character.charCodeAt(0).toString(16)
  return `_u${hex.length <= 2 ? `00${hex}` : hex}`
}
