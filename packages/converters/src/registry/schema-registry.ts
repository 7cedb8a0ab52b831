import type { CodedError } from '@tributary/support'
import type { SchemaLanguage } from './schema-language.ts'

/** The name under which a schema is registered; messages show it. */
export interface RegistrySubject {
  /** Apicurio's group; null for its default group and for registries without groups. */
  readonly group: string | null
  readonly name: string
}

/** A schema to register or look up. */
export interface RegisteredSchema {
  /** The schema with everything that it declares. */
  readonly text: string
  /**
   * The form that is registered when the records within are schemas of their own; null when the text is registered
   * whole.
   */
  readonly parts: SchemaParts | null
  readonly language: SchemaLanguage
}

export interface SchemaParts {
  readonly text: string
  /**
   * The named types that the text uses but does not declare, in the order of its fields. A type that two fields use is
   * listed twice.
   */
  readonly references: readonly SchemaReference[]
}

/** A record or enumeration within another schema. */
export interface SchemaReference {
  /** Full name in Avro. */
  readonly name: string
  readonly namespace: string | null
  readonly schema: RegisteredSchema
}

/** A schema as a registry returns it. */
export interface StoredSchema {
  readonly text: string
  readonly type: SchemaLanguage['type']
  /** Texts of what it names and does not declare, each after those that it names itself. */
  readonly references: readonly string[]
}

/** The outcome that `idOf` would have. */
export type SchemaForecast =
  /** The subject has the schema, or has no schema yet. */
  | { readonly tag: 'expected' }
  | { readonly tag: 'compatible'; readonly subject: string; readonly version: string; readonly level: string }
  /** `idOf` would throw this error. */
  | { readonly tag: 'refused'; readonly error: CodedError }

/** Assigns ids to schemas. Requests for different subjects may run concurrently; requests for one subject must not. */
export interface SchemaRegistry {
  /**
   * Returns the id of a schema under a subject. Depending on the options it registers the schema, looks it up, or
   * compares it with the latest version.
   *
   * @throws REGISTRY_UNAVAILABLE (retriable) when no address answers; errors of the schema or the account, which are
   *   not retriable
   * @throws StoppedError when the signal fires
   */
  idOf(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<bigint>
  /**
   * Dry run of `idOf`: checks whether the registry would accept the schema. Registers nothing.
   *
   * @throws errors of `idOf` about an unreachable registry, the account, and answers that cannot be read
   */
  forecast(subject: RegistrySubject, schema: RegisteredSchema, signal: AbortSignal): Promise<SchemaForecast>
  /** Checks address and login before any schema is known. @throws errors of `RegistryAnswers.check` */
  check(signal: AbortSignal): Promise<void>
  /** Returns the schema with an id. */
  schemaOf(id: bigint, signal: AbortSignal): Promise<StoredSchema>
  /** Warnings about the connections that were opened so far. */
  warnings(): readonly CodedError[]
  /** Returns the error that describes a request in flight for some seconds; null when there is none. */
  pendingFailure(nowMs: number): Error | null
}
