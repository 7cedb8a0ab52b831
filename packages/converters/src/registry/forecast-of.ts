import { CodedError } from '@tributary/support'
import type { SchemaForecast } from './schema-registry.ts'

/** Turns a request that changes nothing into a forecast: a refusal is the forecast, all other errors are thrown. */
export async function forecastOf(request: () => Promise<unknown>): Promise<SchemaForecast> {
  try {
    await request()
    return { tag: 'expected' }
  } catch (error) {
    if (isRefusal(error)) return { tag: 'refused', error }
    throw error
  }
}

/**
 * True when the error is about the schema: refused, or impossible to write. Errors of registry, login and address are
 * not.
 */
export function isRefusal(error: unknown): error is CodedError {
  return error instanceof CodedError && /^(?:SCHEMA|AVRO|CLOUD_EVENT|JSON_SCHEMA|PROTOBUF)_/.test(error.code)
}
