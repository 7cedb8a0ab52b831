import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { SchemaNotation, ValueNotation } from '@tributary/testkit'

/**
 * A line with the output of Java's converters for a schema and a value: `fixtures/README.md` describes how the lines
 * were recorded.
 */
export interface OracleLine {
  readonly name: string
  readonly schema: SchemaNotation | null
  readonly value: ValueNotation | null
}

/** Exactly one of the three members is present. */
export interface OracleOutcome {
  readonly text?: string | null
  readonly hex?: string
  readonly error?: string
}

/** The lines of a fixture. Our own program wrote them, so that their shape is not checked. */
export function oracleLines<T>(file: string): readonly T[] {
  const bytes = readFileSync(new URL(`../../fixtures/${file}`, import.meta.url))
  const text = file.endsWith('.gz') ? gunzipSync(bytes) : bytes
  return text
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T)
}

/** The expected bytes; null for Kafka's null. */
export function expectedBytes({ text, hex }: OracleOutcome): Buffer | null {
  if (hex !== undefined) return Buffer.from(hex, 'hex')
  return text === null || text === undefined ? null : Buffer.from(text)
}
