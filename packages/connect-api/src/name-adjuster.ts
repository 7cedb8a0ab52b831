/** Turns a name into one that is valid in Avro, or returns it as it is. */
export type NameAdjuster = (name: string) => string

/** `schema.name.adjustment.mode` and `field.name.adjustment.mode`. */
export type NameAdjustment = 'none' | 'avro' | 'avro_unicode'

export const nameAdjustments: readonly NameAdjustment[] = ['none', 'avro', 'avro_unicode']

/**
 * Debezium's adjusters (SchemaNameAdjuster), by Java's characters of 16 bits. `avro` replaces each character that is
 * not valid in Avro by an underscore, and puts one before a leading digit; `avro_unicode` writes `_u` and the number of
 * the character, for underscores too, so that different names stay different. Names of schemas may contain dots.
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
      const isValid = first.test(character) || (i > 0 && later.test(character))
      adjusted += isValid ? character : replacement(character)
      if (!isValid && i === 0 && !isUnicode && /[0-9]/.test(character)) adjusted += character
    }
    return adjusted
  }
}

/** Debezium's padding, which also puts two zeros before one digit. */
function unicodeOf(character: string): string {
  const hex = character.charCodeAt(0).toString(16)
  return `_u${hex.length <= 2 ? `00${hex}` : hex}`
}
