import type { Schema } from '@tributary/connect-api'
import type { AvroOptions } from './avro-options.ts'

/** Is a map of the schema Avro's map, and not an array of entries? */
export function isStringMap({ keySchema }: Schema, { allowOptionalMapKeys }: AvroOptions): boolean {
  return keySchema?.type === 'string' && (!keySchema.isOptional || allowOptionalMapKeys)
}

const ENUM_PARAMETER = 'io.confluent.connect.avro.Enum'

export interface AvroEnum {
  readonly name: string
  readonly symbols: readonly string[]
}

/** What the parameters of a string say about an enumeration (`enhanced.avro.schema.support`); null: it is a string. */
export function enumOf({ parameters }: Schema, { enhancedSchemas }: AvroOptions): AvroEnum | null {
  const name = parameters?.[ENUM_PARAMETER]
  if (!enhancedSchemas || parameters === null || name === undefined) return null
  const prefix = `${ENUM_PARAMETER}.`
  const symbols = Object.keys(parameters)
    .filter((key) => key.startsWith(prefix))
    .map((key) => key.slice(prefix.length))
  return { name, symbols }
}
