import { parseLogLevel, type LogLevelName } from '@tributary/support'
import { readTextMapDocument } from './json/json-values.ts'
import { RequestError } from './request-error.ts'

/** The level in the body of `PUT /admin/loggers/{logger}`. The messages are those of Kafka Connect 4.3. */
export function readLoggerLevel(body: Buffer): LogLevelName {
  const document = readTextMapDocument(body)
  if (document === null) {
    throw new RequestError(500, 'Cannot invoke "java.util.Map.get(Object)" because "levelMap" is null')
  }
  const text = document.get('level') ?? null
  if (text === null) throw new RequestError(400, "Desired 'level' parameter was not specified in request.")
  if (text === '') throw new RequestError(500, 'Illegal null or empty Level name.')
  const level = parseLogLevel(text)
  if (level === null) throw new RequestError(404, `invalid log level '${text}'.`)
  return level
}
