import type { ConfigKey } from '@tributary/connect-api'
import { code, plain } from './markdown.ts'

/** Properties as a list: names, type, default, further facts and meaning of each. */
export function keyList(keys: readonly ConfigKey[], factsOf: (key: ConfigKey) => readonly string[] = () => []): string {
  return keys.map((key) => keyItem(key, factsOf(key))).join('\n')
}

function keyItem(key: ConfigKey, moreFacts: readonly string[]): string {
  const { name, aliases = [], type, documentation } = key
  const names = [name, ...aliases].map(code).join(' or ')
  const facts = [type.toLowerCase(), ...defaultOf(key), ...moreFacts].join(', ')
  return `- ${names} (${facts}): ${plain(documentation)}`
}

function defaultOf({ defaultValue }: ConfigKey): readonly string[] {
  if (defaultValue === undefined) return ['**required**']
  return defaultValue === null || defaultValue === '' ? [] : [`default ${code(defaultValue)}`]
}
