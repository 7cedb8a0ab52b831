import { kafkaErrors } from '../api/errors.ts'

/** The login module and its options in `sasl.jaas.config`. */
export interface JaasEntry {
  readonly loginModule: string
  readonly options: ReadonlyMap<string, string>
}

const NAME = 'sasl.jaas.config'

/*
 * LoginModuleClass ControlFlag (name=value)* ;     a value may be quoted, with backslash escapes; // and /* comments
 */
const TOKEN = /(?:\s|\/\*[^]*?\*\/|\/\/[^\n\r]*)*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([=;])|([^\s=;"']+)|$)/y

const CONTROL_FLAG = /^(required|requisite|sufficient|optional)$/i
const MODULE_INSTEAD = 'it must begin with a login module and a flag: org.apache.kafka.….PlainLoginModule required'

/** Parses the value of `sasl.jaas.config`. Throws SETTING_INVALID without the value, since it contains a password. */
export function parseJaasConfig(text: string): JaasEntry {
  const tokens = tokenize(text)
  const [loginModule, controlFlag, ...rest] = tokens
  if (loginModule === undefined || controlFlag === undefined || !CONTROL_FLAG.test(controlFlag)) {
    throw invalid(MODULE_INSTEAD)
  }
  if (rest.at(-1) !== ';') throw invalid('it must end with a semicolon')
  const options = new Map<string, string>()
  for (let i = 0; i < rest.length - 1; i += 3) {
    const [name, equals, value] = rest.slice(i, i + 3)
    if (name === ';') throw invalid('it has more than one login module; a client uses one')
    if (name === undefined || equals !== '=' || value === undefined || value === ';') {
      throw invalid(`name="value" is expected after ${options.size} options, with a semicolon after the last one`)
    }
    options.set(name, value)
  }
  return { loginModule, options }
}

function tokenize(text: string): readonly string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text)
    if (match === null) throw invalid('a quote is not closed')
    const [, doubleQuoted, singleQuoted, sign, bare] = match
    const quoted = doubleQuoted ?? singleQuoted
    const token = quoted === undefined ? (sign ?? bare) : unescaped(quoted)
    if (token !== undefined) tokens.push(token)
  }
  return tokens
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** As Java's StreamTokenizer: one to three octal digits up to \377, letters of controls, or the character itself. */
function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:([0-3]?[0-7]?[0-7])|(.))/gs,
    (_, octal: string | undefined, character: string | undefined) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8))
      return ESCAPES[character ?? ''] ?? character ?? ''
    },
  )
}

function invalid(reason: string): Error {
  return kafkaErrors.SETTING_INVALID({ name: NAME, value: '(hidden)', reason })
}
