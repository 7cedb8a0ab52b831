import type { Scope } from './scope.ts'

/** Java's `split` by one character, which may be escaped or alone in brackets; trailing empty parts are removed. */
export function splitText(separator: string): (text: string, scope: Scope) => readonly string[] {
  const found = /^(?:([^\\^$.|?*+()[\]{}])|\\([^\p{L}\p{N}])|\[([^\\^[\]])\])$/su.exec(separator)
  const character = found?.[1] ?? found?.[2] ?? found?.[3]
  if (character === undefined) {
    throw new SyntaxError(`${separator} is not one character. Split by one character, such as ',' or '\\\\.'`)
  }
  return (text, scope) => {
    scope.charge(text.length)
    const parts = text.split(character)
    while (parts.length > 1 && parts.at(-1) === '') parts.pop()
    // A text of separators only has no parts, but an empty text has one.
    return parts.length === 1 && parts[0] === '' && text !== '' ? [] : parts
  }
}
