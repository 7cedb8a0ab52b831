import { encodingDifferences } from '../avro-schema/encoding-differences.ts'

/** A language that schemas in a registry are written in. */
export interface SchemaLanguage {
  /** As the interface of the registry names it. */
  readonly type: 'AVRO' | 'JSON' | 'PROTOBUF'
  /** For messages. */
  readonly name: string
  /**
   * Describes the differences that matter to whoever writes values of `schema` under the id of `registered`; none when
   * the values are the same.
   *
   * @throws SyntaxError when the registered schema is not of this language
   */
  differences(registered: string, schema: string): readonly string[]
}

export const avroLanguage: SchemaLanguage = { type: 'AVRO', name: 'Avro', differences: encodingDifferences }
