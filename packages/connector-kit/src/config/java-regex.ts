/**
 * Translates the regular expressions of include lists from Java's syntax (javadoc of java.util.regex.Pattern) into that
 * of JavaScript with the flag `u`. Syntax that only Java has and names of tables do not need (possessive quantifiers,
 * atomic groups, `&&` in classes, `\h`, `\R`) is refused, by JavaScript or here: with another meaning it would capture
 * other tables.
 *
 * @throws SyntaxError of syntax that the two languages do not have in common
 */
export function translateJavaRegex(pattern: string): string {
  let translated = ''
  // The list ignores case in any event.
  let at = /^(?:\(\?[iu]+\))*/.exec(pattern)?.[0].length ?? 0
  let isInClass = false
  while (at < pattern.length) {
    const token = nextToken(pattern, at)
    at += token.length
    if (token.startsWith(QUOTE_BEGIN)) translated += quoted(token)
    else if (token.length === 2) translated += escaped(token.charAt(1))
    else {
      translated += token
      isInClass = isInClass ? token !== ']' : token === '['
      if (isInClass && pattern.startsWith('&&', at)) throw new SyntaxError('&& in a character class is not supported')
    }
  }
  return translated
}

const QUOTE_BEGIN = String.raw`\Q`
const QUOTE_END = String.raw`\E`

/** A quotation (`\\Q…\\E`), an escape of two characters, or one character. */
function nextToken(pattern: string, at: number): string {
  if (!pattern.startsWith(QUOTE_BEGIN, at)) return pattern.slice(at, at + (pattern.charAt(at) === '\\' ? 2 : 1))
  const end = pattern.indexOf(QUOTE_END, at)
  return pattern.slice(at, end < 0 ? pattern.length : end + QUOTE_END.length)
}

function quoted(token: string): string {
  const end = token.endsWith(QUOTE_END) ? token.length - QUOTE_END.length : token.length
  return token.slice(QUOTE_BEGIN.length, end).replaceAll(SYNTAX, String.raw`\$&`)
}

/** Characters that JavaScript permits after a backslash, in classes and outside of them. */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/g

/**
 * Java permits a backslash before everything that is not a letter; JavaScript only before characters with a meaning of
 * their own.
 */
function escaped(character: string): string {
  if (character === 'A') return '^'
  if (character === 'z' || character === 'Z') return '$'
  // JavaScript has no escape for a minus outside of classes; by its number it can be written everywhere.
  if (character === '-') return String.raw`\x2d`
  return /[\w^$\\.*+?()[\]{}|/]/.test(character) && character !== '_' ? `\\${character}` : character
}
