import { type ConfigMap, type ConnectValue, EncodedText } from '@tributary/connect-api'
import { requireCharset } from '@tributary/mysql'

export const UNAVAILABLE_PLACEHOLDER = 'unavailable.value.placeholder'
const DEFAULT_PLACEHOLDER = '__debezium_unavailable_value'

/** The placeholder for a value that the database did not send: a text, or `hex:` and the digits of bytes. */
export function unavailableValue(config: ConfigMap): Buffer {
  const text = config[UNAVAILABLE_PLACEHOLDER] ?? DEFAULT_PLACEHOLDER
  return text.startsWith('hex:') ? Buffer.from(text.slice('hex:'.length), 'hex') : Buffer.from(text)
}

/** The placeholder in columns of text. */
export function unavailableText(placeholder: Buffer): ConnectValue {
  return new EncodedText(placeholder, 0, placeholder.length, UTF8)
}

/** The placeholder in JSON columns: a document, so that readers can parse it. */
export function unavailableJson(placeholder: Buffer): string {
  const text = JSON.stringify(placeholder.toString())
  return `{${text}:${text}}`
}

const UTF8 = requireCharset('utf8mb4', 'the placeholder')
