import type { ByteWriter, CodedError } from '@tributary/support'
import type { ConnectValue, Schema } from './data.ts'

/**
 * The compiled work of a converter for one schema.
 *
 * The bytes of a value are `prefix` followed by what `write` appends. The prefix is the same for every value of the
 * schema (the schema half of a JSON document, the id of a registered schema). It is one object for the converter's
 * life, so that a record batch can refer to an earlier copy instead of containing it again.
 */
export interface ValueEncoder {
  readonly prefix: Uint8Array
  /**
   * Appended to the headers of a record whose value is not Kafka's null, for example a schema id. One list for the
   * encoder's life.
   */
  readonly headers?: readonly EncodedHeader[]
  /**
   * Appends the rest of the bytes. Returns false, and appends nothing, when the value is Kafka's null (a tombstone).
   *
   * @throws CodedError that names the field when the value does not fit the schema; the caller drops what was appended
   */
  write(value: ConnectValue, out: ByteWriter): boolean
}

/** A header of a record as the producer sends it. */
export interface EncodedHeader {
  readonly key: Buffer
  readonly value: Buffer | null
}

/** Whether a registry would accept a schema. */
export interface SchemaCompatibility {
  /** False: the registry would refuse `register`. */
  readonly isAccepted: boolean
  /** What the registry compares the schema with, or why it refuses it and what to do; a sentence for the log. */
  readonly text: string
}

/**
 * Turns keys or values into bytes. One instance serves one role (key or value) of one connector.
 *
 * A converter that encodes without a schema registry implements `configure` and `encoderFor` only. One with a registry
 * gets each schema registered before it encodes: the task calls `isRegistered` for each new pair of schema and topic,
 * `register` where that returns false, and only then `encoderFor`.
 */
export interface Converter {
  /** `options`: the properties after the prefix `key.converter.` or `value.converter.`. */
  configure(options: Readonly<Record<string, string>>, isKey: boolean): void
  /**
   * Checks that the servers that it needs (a registry) answer and accept the login; for the check of a configuration.
   *
   * @throws CodedError that describes the problem
   * @throws StoppedError when the signal fires
   */
  check?(signal: AbortSignal): Promise<void>
  /**
   * False: the schema must be registered for the topic before its values can be encoded. A converter without this
   * method never needs `register`.
   */
  isRegistered?(schema: Schema | null, topic: string): boolean
  /**
   * Registers the schema for the topic, or looks up its id, so that `encoderFor` works. May be called again after a
   * retriable error.
   *
   * @throws an error that is retriable when waiting may help
   * @throws StoppedError when the signal fires
   */
  register?(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void>
  /**
   * Names the sequence that the registration belongs to. Registrations of one sequence run one after the other, in the
   * order of the records, also when their topics differ. Default: the topic.
   */
  registrationSequence?(schema: Schema | null, topic: string): string
  /**
   * Returns the error that describes a call of `register` that has waited for some seconds; null when none has. For the
   * log: the call may still succeed.
   */
  pendingFailure?(): Error | null
  /** Warnings about the connections that the converter has opened so far. The caller logs each once. */
  warnings?(): readonly CodedError[]
  /**
   * Dry run of `register`: checks whether the registry would accept the schema. Registers nothing. Returns null when
   * there is nothing to report, since the schema is registered already or is the first one.
   *
   * @throws CodedError when the registry does not answer; the schema may be compatible or not
   * @throws StoppedError when the signal fires
   */
  checkCompatibility?(schema: Schema | null, topic: string, signal: AbortSignal): Promise<SchemaCompatibility | null>
  /** Returns the compiled encoder of a registered schema. Cheap when called again with the same object. */
  encoderFor(schema: Schema | null, topic: string): ValueEncoder
}

/** Turns header values into bytes. */
export interface HeaderConverter {
  configure(options: Readonly<Record<string, string>>): void
  /**
   * Appends the bytes of a value. Returns false, and appends nothing, when the value is Kafka's null.
   *
   * @throws CodedError when the value has no such bytes; the caller drops what was appended
   */
  write(schema: Schema | null, value: ConnectValue, out: ByteWriter): boolean
}
