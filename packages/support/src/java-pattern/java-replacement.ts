/** A part of a replacement: literal text, or a group of the match by number or name. */
export type ReplacementPart = string | { readonly group: number | string }

/**
 * Parses a replacement as Java's Matcher.replaceFirst reads it (javadoc of java.util.regex.Matcher, Java 17): `$1`,
 * `${name}`, and a backslash that makes the next character literal. A number has as many digits as there is a group for.
 *
 * @throws SyntaxError for a group that the pattern does not have, or for `$` and `\` without what must follow
 */
export function parseReplacement(
  text: string,
  groupCount: number,
  names: ReadonlySet<string>,
): readonly ReplacementPart[] {
  const parts: ReplacementPart[] = []
  let literal = ''
  let at = 0
  const refuse = (reason: string): SyntaxError => new SyntaxError(`'${text}' is not a valid replacement: ${reason}`)
  const add = (group: number | string): void => {
    if (literal !== '') parts.push(literal)
    literal = ''
    parts.push({ group })
  }
  while (at < text.length) {
    const character = text[at] as string
    at += 1
    if (character === '\\') {
      if (at === text.length) throw refuse('a character must follow the \\ at its end')
      literal += text[at] as string
      at += 1
    } else if (character === '$') {
      const rest = text.slice(at)
      const name = /^\{([A-Za-z][A-Za-z0-9]*)\}/.exec(rest)?.[1]
      if (name !== undefined) {
        if (!names.has(name)) throw refuse(`the pattern has no group named ${name}`)
        add(name)
        at += name.length + 2
        continue
      }
      const digits = groupDigits(rest, groupCount)
      if (digits === '') throw refuse('a number or a {name} must follow $; write \\$ for a dollar sign')
      if (Number(digits) > groupCount) throw refuse(`the pattern has no group ${digits}`)
      add(Number(digits))
      at += digits.length
    } else {
      literal += character
    }
  }
  if (literal !== '') parts.push(literal)
  return parts
}

/** The first digit always belongs to the number; each further one only if there is a group of that number. */
function groupDigits(rest: string, groupCount: number): string {
  let digits = /^\d/.exec(rest)?.[0] ?? ''
  if (digits === '') return ''
  while (/\d/.test(rest[digits.length] ?? '') && Number(digits + (rest[digits.length] ?? '')) <= groupCount) {
    digits += rest[digits.length] ?? ''
  }
  return digits
}
