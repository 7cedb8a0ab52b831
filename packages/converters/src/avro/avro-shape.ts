import type { Schema } from '@tributary/connect-api'
import type { AvroOptions } from './avro-options.ts'

/** True when the schema's maps become Avro maps, false when they become arrays of entries. */
export function isStringMap({ keySchema }: Schema, { allowOptionalMapKeys }: AvroOptions): boolean {
  return keySchema?.type === 'string' && (!keySchema.isOptional || allowOptionalMapKeys)
}

const ENUM_PARAMETER = 'io.confluent.connect.avro.Enum'

export interface AvroEnum {
  readonly name: string
  readonly symbols: readonly string[]
}

/**
 * Returns the enumeration that the parameters of a string schema define (`enhanced.avro.schema.support`); null for a
 * plain string.
 */
export function enumOf({ parameters }: Schema, { enhancedSchemas }: AvroOptions): AvroEnum | null {
  const name = parameters?.[ENUM_PARAMETER]
  if (!enhancedSchemas || parameters === null || name === undefined) return null
  const prefix = `${ENUM_PARAMETER}.`
  const symbols = Object.keys(parameters)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
  return { name, symbols }
}
