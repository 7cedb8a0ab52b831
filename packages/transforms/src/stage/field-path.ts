import { transformErrors } from '../errors.ts'

/**
 * Splits a path of `field.syntax.version=V2` into the names of its fields: at dots, except within backticks. A backtick
 * ends its name before a dot and at the end; `\` before it makes it part of the name.
 *
 *     before.id        before, id
 *     `a.b`.c          a.b, c
 *
 * @throws TRANSFORMATION_OPTIONS for a backtick without its partner
 */
export function splitFieldPath(path: string): readonly string[] {
  const names: string[] = []
  let at = 0
  while (at < path.length) {
    if (path.charAt(at) === '`') {
      const { name, end } = quotedName(path, at)
      names.push(name)
      at = end
      continue
    }
    const dot = path.indexOf('.', at)
    const end = dot < 0 ? path.length : dot
    names.push(path.slice(at, end))
    at = end + 1
  }
  if (path.endsWith('.')) names.push('')
  return names
}

/** `open`: the position of the first backtick. `end`: the position after the closing backtick and its dot. */
function quotedName(path: string, open: number): { readonly name: string; readonly end: number } {
  let name = ''
  let start = open + 1
  for (let at = path.indexOf('`', start); at >= 0; at = path.indexOf('`', at + 1)) {
    const isEscaped = path.charAt(at - 1) === '\\'
    const isLast = at === path.length - 1
    if (isLast && isEscaped) break
    if (isLast) return { name: name + path.slice(start, at), end: at + 1 }
    if (path.charAt(at + 1) !== '.') continue
    if (!isEscaped) return { name: name + path.slice(start, at), end: at + 2 }
    name += `${path.slice(start, at - 1)}\``
    start = at + 1
  }
  throw transformErrors.TRANSFORMATION_OPTIONS({
    reason: `Incomplete backtick pair in path: [${path}], consider adding a backslash before backtick at position ${open} to escape it`,
  })
}
