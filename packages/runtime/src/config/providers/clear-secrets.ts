import type { ConfigMap } from '@tributary/connect-api'
import { urlPasswords } from '../url-passwords.ts'

/**
 * Properties with secrets, by the ends of their names in Kafka, Kafka Connect and Debezium. Their values are masked in
 * any text, so the pattern is narrower than that of `shownValue`, which hides values only in a shown configuration.
 */
const SECRET_NAME = /(?:^|\.)(?:password|passphrase|secret|token|credential|jaas\.config|keystore\.key|user\.info)$/i

/** A secret option of a login module; one of the three groups captures its value without quotes. */
const SECRET_OPTION =
  /\b\w*(?:password|secret|token)\w*\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))/gi

/**
 * Minimum length of the lines of a PEM text that are masked. The last line of a key may be short, and reveals almost
 * nothing.
 */
const PEM_LINE_LENGTH_MIN = 20

/**
 * The secrets in a configuration that are no references: whole values, and parts of values that are secret by
 * themselves.
 */
export function clearSecrets(config: ConfigMap): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) =>
    SECRET_NAME.test(name) ? secretsOf(name, value) : secretsOfUrls(value),
  )
}

/** The passwords of URLs, as they are written and decoded. */
function secretsOfUrls(value: string): readonly string[] {
  return urlPasswords(value).flatMap(({ start, end }) => {
    const password = value.slice(start, end)
    try {
      return [...new Set([password, decodeURIComponent(password)])]
    } catch {
      return [password]
    }
  })
}

function secretsOf(name: string, value: string): readonly string[] {
  if (/jaas\.config$/i.test(name)) {
    const options = [...value.matchAll(SECRET_OPTION)].map(([, double, single, bare]) => double ?? single ?? bare ?? '')
    return [value, ...options, ...options.map((option) => option.replaceAll(/\\(.)/g, '$1'))]
  }
  const lines = value
    .split(/\s*[\r\n]+\s*/)
    .filter((line) => line.length >= PEM_LINE_LENGTH_MIN && !line.startsWith('--'))
  return [value, ...(lines.length > 1 ? lines : [])]
}
