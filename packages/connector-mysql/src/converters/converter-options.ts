import type { ConfigMap } from '@tributary/connect-api'
import { RegexList } from '@tributary/connector-kit'

/** The names of a list such as `converters`. */
export function namesIn(list: string | undefined): readonly string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** The properties whose names begin with `<prefix>.`, without it. */
export function optionsOf(config: ConfigMap, prefix: string): ConfigMap {
  const start = `${prefix}.`
  return Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      name.startsWith(start) ? [[name.slice(start.length), value] as const] : [],
    ),
  )
}

/** A list of regular expressions of columns; null when it is empty. @throws SyntaxError */
export function selectorOf(text: string | undefined): RegexList | null {
  const selector = new RegexList(text ?? '')
  return selector.isEmpty ? null : selector
}

/** As Java's `Boolean.parseBoolean`: any other text is false. */
export function isTrue(text: string): boolean {
  return text.toLowerCase() === 'true'
}
