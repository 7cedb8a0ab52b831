import type { ConfigMap } from '@tributary/connect-api'

/**
 * Properties that hold a secret, by the words that their names end with in Kafka, Kafka Connect and Debezium. What is found here is
 * masked wherever it stands in a text, so this is narrower than what `shownValue` hides of a configuration.
 */
const SECRET_NAME = /(?:^|\.)(?:password|passphrase|secret|token|credential|jaas\.config|keystore\.key|user\.info)$/i

/** Options of a login module that hold one, with what stands between the quotes. */
const SECRET_OPTION =
  /\b\w*(?:password|secret|token)\w*\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"']+))/gi

/** Lines of a PEM text that say something of the key: the last one of a key may be short, and tells next to nothing. */
const PEM_LINE_LENGTH_MIN = 20

/** The secrets that stand in a configuration itself rather than behind a reference: whole values, and parts that are secret alone. */
export function clearSecrets(config: ConfigMap): readonly string[] {
  return Object.entries(config).flatMap(([name, value]) => (SECRET_NAME.test(name) ? secretsOf(name, value) : []))
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
