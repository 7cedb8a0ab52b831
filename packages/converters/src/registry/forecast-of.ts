import { CodedError } from '@tributary/support'
import type { SchemaForecast } from './schema-registry.ts'

/** What a question that changes nothing comes to: its refusal is the forecast, its failures are failures. */
export async function forecastOf(question: () => Promise<unknown>): Promise<SchemaForecast> {
  try {
    await question()
    return { tag: 'expected' }
  } catch (error) {
    if (isRefusal(error)) return { tag: 'refused', error }
    throw error
  }
}

/** The schema is refused, or cannot be written at all. What is wrong with the registry, the login or the address says nothing of it. */
export function isRefusal(error: unknown): error is CodedError {
  return error instanceof CodedError && /^(?:SCHEMA|AVRO)_/.test(error.code)
}
