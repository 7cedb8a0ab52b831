/** The name as Confluent's converter changes it for `scrub.invalid.names`: other bytes of UTF-8 become `_XX`. */
export function scrubbedName(name: string): string {
  if (name === '' || /^[A-Za-z][A-Za-z0-9_]*$/.test(name)) return name
  const encoded = name.replaceAll(/[^A-Za-z0-9_]/gu, (character) =>
    /[ .*-]/.test(character) ? '_' : [...Buffer.from(character)].map((byte) => hexOf(byte)).join(''),
  )
  // Java looks at the first character before the percent sign of an encoded one becomes an underscore.
  const isOdd = /^[0-9_]/.test(name)
  return isOdd ? `x${encoded}` : encoded
}

function hexOf(byte: number): string {
  return `_${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
