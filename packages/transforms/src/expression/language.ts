/** The two languages whose expressions are read. */
export type Language = 'groovy' | 'javascript'

const NAMES: ReadonlyMap<string, Language> = new Map([
  ['groovy', 'groovy'],
  ...['graal.js', 'graal-js', 'graaljs', 'js', 'javascript', 'ecmascript', 'nashorn'].map(
    (name) => [name, 'javascript'] as const,
  ),
])

/** The language that a script engine of Java has under that name, in any case; null: another one, or none. */
export function languageOfEngine(name: string): Language | null {
  return NAMES.get(name.toLowerCase()) ?? null
}
