import type { ConfigKey } from '@tributary/connect-api'
import { code, plain } from './markdown.ts'

/** Returns the name of a property, with its aliases below. */
export function nameCell({ name, aliases = [] }: ConfigKey): string {
  return [name, ...aliases].map(code).join('<br>')
}

/** Returns the default of a property. */
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
