import type { ConfigKey } from '@tributary/connect-api'
import { code, plain } from './markdown.ts'

/** How a property is written: its name, and other spellings under it. */
export function nameCell({ name, aliases = [] }: ConfigKey): string {
  return [name, ...aliases].map(code).join('<br>')
}

/** Type and default of a property. */
export function defaultCell({ defaultValue }: ConfigKey): string {
  if (defaultValue === undefined) return '**required**'
  return defaultValue === null || defaultValue === '' ? '' : code(defaultValue)
}

export function typeCell({ type }: ConfigKey): string {
  return type.toLowerCase()
}

export function meaningCell({ documentation }: ConfigKey): string {
  return plain(documentation)
}
