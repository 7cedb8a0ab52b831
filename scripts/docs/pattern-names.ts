/**
 * Returns the names that a pattern of property names matches: `^(a|b)\.c$` → `a.c`, `b.c`; without `$`: `a.c…`, `b.c…`.
 * Supports only escaped dots and alternatives.
 */
export function namesOf({ source }: RegExp): readonly string[] {
  const isWhole = source.endsWith('$')
  const text = source.replace(/^\^/, '').replace(/\$$/, '')
  return alternatives(text.replaceAll(String.raw`\.`, '.')).map((name) => (isWhole ? name : `${name}…`))
}

function alternatives(text: string): readonly string[] {
  const group = /\(([^()]*)\)/.exec(text)
  if (group === null) return [text]
  const before = text.slice(0, group.index)
  const after = text.slice(group.index + group[0].length)
  return (group[1] ?? '').split('|').flatMap((choice) => alternatives(before + choice + after))
}
