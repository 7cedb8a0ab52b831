/** What a schema is registered under, and how messages name it. */
export interface RegistrySubject {
  /** Apicurio's group; null: its default, and for registries that know no groups. */
  readonly group: string | null
  readonly name: string
}

/** Where schemas get their ids. Schemas of several topics may be asked for at once, those of one topic one after the other. */
export interface SchemaRegistry {
  /**
   * The id of a schema under a subject: it is registered, looked up or compared with the latest one, as the options say.
   *
   * @param schema text of the Avro schema
   * @throws REGISTRY_UNAVAILABLE (retriable) when nobody answers; what else is wrong with the schema or the account is not retriable
   * @throws StoppedError when the signal fires
   */
  idOf(subject: RegistrySubject, schema: string, signal: AbortSignal): Promise<bigint>
  /** @throws what `RegistryAnswers.check` says is wrong with the registry, before any schema is known */
  check(signal: AbortSignal): Promise<void>
  /** The text of the schema with that id. */
  schemaOf(id: bigint, signal: AbortSignal): Promise<string>
}
