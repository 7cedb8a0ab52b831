import { parseProperties } from '@tributary/runtime'
import type { FormDocument } from './connector-document.ts'
import { FormError } from './form-error.ts'

/** The format of java.util.Properties, as `connect-standalone` reads connectors; the property `name` has the name. */
export function readPropertiesForm(text: string): readonly FormDocument[] {
  try {
    const config = parseProperties(text)
    return [{ name: config['name'], config }]
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new FormError('a \\u is not followed by four hexadecimal digits', escapeAt(text), { cause: error })
  }
}

/** The first incomplete escape of the file, outside of comments. */
function escapeAt(text: string): number | null {
  for (const { 0: found, index } of text.matchAll(/^[ \t\f]*[#!].*|\\(?:u[0-9a-fA-F]{4}|.)/gm)) {
    if (found === '\\u') return index
  }
  return null
}
