import type { FormName } from './connector-document.ts'

const ENDINGS: Readonly<Record<string, FormName>> = {
  json: 'json',
  properties: 'properties',
  yaml: 'yaml',
  yml: 'yaml',
  sql: 'ksqldb',
  ksql: 'ksqldb',
  tf: 'terraform',
  hcl: 'terraform',
}

/** How a file of each form begins, without comments. The first that matches counts. */
const BEGINNINGS: readonly (readonly [form: FormName, beginning: RegExp])[] = [
  ['json', /^[{[]/],
  ['ksqldb', /^(create|set|define|drop|show)\s/i],
  ['terraform', /^(resource|variable|locals|provider|terraform|module|data|output)\s*["{]/],
  ['yaml', /^(---|%YAML|[\w./-]+:(\s|$))/],
  ['properties', /^[\w.-]+[ \t]*[=:]/],
]

/** Blanks and comments of all forms. `---` begins a document of YAML. */
const COMMENTS = /^(?:\s|[#!].*|\/\/.*|--(?!-).*|\/\*[^]*?\*\/)+/

/** The form of a file: by the ending of its name, else by how it begins. JSON, if it has neither. */
export function formOf(file: string, text: string): FormName {
  const ending = /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  if (Object.hasOwn(ENDINGS, ending)) return ENDINGS[ending] ?? 'json'
  const start = text.replace(COMMENTS, '')
  return BEGINNINGS.find(([, beginning]) => beginning.test(start))?.[0] ?? 'json'
}
