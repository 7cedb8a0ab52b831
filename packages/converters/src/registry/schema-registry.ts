import type { CodedError } from '@tributary/support'

/** What a schema is registered under, and how messages name it. */
export interface RegistrySubject {
  /** Apicurio's group; null: its default, and for registries that know no groups. */
  readonly group: string | null
  readonly name: string
}

/** An Avro schema that is to have an id. */
export interface RegisteredSchema {
  /** With all that it declares. */
  readonly text: string
  /** In the form in which it is registered, where the records within are schemas of their own; null: it is registered whole. */
  readonly parts: SchemaParts | null
}

export interface SchemaParts {
  readonly text: string
  /** What the text names and does not declare, in the order of its fields; what stands in two fields stands here twice. */
  readonly references: readonly SchemaReference[]
}

/** A record or an enumeration within another schema. */
export interface SchemaReference {
  /** Full name in Avro. */
  readonly name: string
  readonly namespace: string | null
  readonly schema: RegisteredSchema
}

/** An Avro schema as a registry has it. */
export interface StoredSchema {
  readonly text: string
  /** Texts of what it names and does not declare, in the order in which they name each other. */
  readonly references: readonly string[]
}

/** What asking for the id of a schema would come to. */
export type SchemaForecast =
  /** The subject has it, or has nothing yet. */
  | { readonly tag: 'expected' }
  | { readonly tag: 'compatible'; readonly subject: string; readonly version: string; readonly level: string }
  /** What `idOf` would throw. */
  | { readonly tag: 'refused'; readonly error: CodedError }

/** Where schemas get their ids. Schemas of several subjects may be asked for at once, those of one subject one after the other. */
export interface SchemaRegistry {
  /**
   * The id of a schema under a subject: it is registered, looked up or compared with the latest one, as the options say.
   *
   * @throws REGISTRY_UNAVAILABLE (retriable) when nobody answers; what else is wrong with the schema or the account is not retriable
   * @throws StoppedError when the signal fires
   */
  idOf(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint>
  /**
   * Says beforehand what `idOf` would come to. Nothing is changed.
   *
   * @throws what `idOf` throws of a registry that is away, of the account and of answers that are not understood
   */
  forecast(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<SchemaForecast>
  /** @throws what `RegistryAnswers.check` says is wrong with the registry, before any schema is known */
  check(signal: AbortSignal): Promise<void>
  /** The schema with that id. */
  schemaOf(id: bigint, signal: AbortSignal): Promise<StoredSchema>
  /** What has been waited for for some seconds, as the error that it would end with; null: nothing. */
  waitingFor(nowMs: number): Error | null
}
