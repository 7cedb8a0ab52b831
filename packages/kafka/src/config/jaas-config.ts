import { kafkaErrors } from '../api/errors.ts'

/** The login module and its options in `sasl.jaas.config`. */
export interface JaasEntry {
  readonly loginModule: string
  readonly options: ReadonlyMap<string, string>
}

const NAME = 'sasl.jaas.config'

/*
 * LoginModuleClass ControlFlag (name=value)* ;     a value may be quoted, with backslash escapes
 */
const TOKEN = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([=;])|([^\s=;"']+))/y

/** Parses the value of `sasl.jaas.config`. Throws SETTING_INVALID without the value, since it contains a password. */
export function parseJaasConfig(text: string): JaasEntry {
  const tokens = tokenize(text)
  const [loginModule, controlFlag, ...rest] = tokens
  if (loginModule === undefined || controlFlag === undefined) throw invalid('it must begin with a class and "required"')
  if (rest.at(-1) !== ';') throw invalid('it must end with a semicolon')
  const options = new Map<string, string>()
  for (let i = 0; i < rest.length - 1; i += 3) {
    const [name, equals, value] = rest.slice(i, i + 3)
    if (name === undefined || equals !== '=' || value === undefined || value === ';') {
      throw invalid(`name="value" is expected after ${options.size} options`)
    }
    options.set(name, value)
  }
  return { loginModule, options }
}

function tokenize(text: string): readonly string[] {
  const tokens: string[] = []
  const end = text.trimEnd().length
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text)
    if (match === null) throw invalid('a quote is not closed')
    const [, doubleQuoted, singleQuoted, sign, bare] = match
    const quoted = doubleQuoted ?? singleQuoted
    tokens.push(quoted === undefined ? (sign ?? bare ?? '') : quoted.replaceAll(/\\(.)/g, '$1'))
  }
  return tokens
}

function invalid(reason: string): Error {
  return kafkaErrors.SETTING_INVALID({ name: NAME, value: '(hidden)', reason })
}
