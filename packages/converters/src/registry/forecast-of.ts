import { CodedError } from '@tributary/support'
import type { SchemaForecast } from './schema-registry.ts'

/** What a question that changes nothing comes to: its refusal is the forecast, its failures are failures. */
export async function forecastOf(question: () => Promise<unknown>): Promise<SchemaForecast> {
  try {
    await question()
    return { tag: 'expected' }
  } catch (error) {
    if (error instanceof CodedError && error.code.startsWith('SCHEMA_')) return { tag: 'refused', error }
    throw error
  }
}
