import type { ByteWriter } from '@tributary/support'
import type { Schema } from './schema.ts'
import type { ConnectValue } from './value.ts'

/**
 * Compiled work of a converter for one schema.
 *
 * The bytes of a value are `prefix` followed by what `write` appends. The prefix is the same for every value of the
 * schema (the schema half of a JSON document, the id of a registered schema) and is one object for the converter's life,
 * so that a record batch can refer back to an earlier copy instead of holding it again.
 */
export interface ValueEncoder {
  readonly prefix: Uint8Array
  /** Added to a record whose value is not Kafka's null, behind its own: a schema id that stands in a header. One list for the encoder's life. */
  readonly headers?: readonly EncodedHeader[]
  /**
   * Appends the rest of the bytes. False: the record carries Kafka's null (a tombstone) and nothing was written.
   * Throws a CodedError that names the field when the value does not fit the schema; the caller drops what was written.
   */
  write(value: ConnectValue, out: ByteWriter): boolean
}

/** A header of a record as it goes out. */
export interface EncodedHeader {
  readonly key: Buffer
  readonly value: Buffer | null
}

/** What using a schema will come to. */
export interface SchemaPreview {
  /** False: `prepare` will be refused. */
  readonly isAccepted: boolean
  /** What is accepted, or why not and what to do; in words. */
  readonly text: string
}

/** Turns keys or values into bytes. One instance serves one role (key or value) of one connector. */
export interface Converter {
  /** `options`: the properties behind `key.converter.` or `value.converter.`. */
  configure(options: Readonly<Record<string, string>>, isKey: boolean): void
  /**
   * Asks whatever it needs outside, such as a registry, whether it can be worked with; for the check of a configuration.
   *
   * Rejects with a CodedError that says what is wrong; with StoppedError when the signal fires.
   */
  check?(signal: AbortSignal): Promise<void>
  /** False: `prepare` has to be called before values of the schema can be encoded for the topic. A converter without it needs nothing. */
  isPrepared?(schema: Schema | null, topic: string): boolean
  /**
   * Gets what encoding needs from elsewhere, such as the id of a schema from a registry.
   *
   * Rejects with an error that says whether waiting may help (`isRetriable`), after which it may be called again; with StoppedError
   * when the signal fires.
   */
  prepare?(schema: Schema | null, topic: string, signal: AbortSignal): Promise<void>
  /** Preparations of one name follow each other in the order of the records, also those of another topic. Default: the topic. */
  sequenceOf?(schema: Schema | null, topic: string): string
  /** What `prepare` has been waiting for for some seconds, told as the error that it would end with; null: nothing. */
  waitingFor?(): Error | null
  /**
   * Looks what `prepare` would come to, and changes nothing. Null: there is nothing to tell, since the schema is known already or the
   * first one.
   *
   * Rejects with a CodedError when that cannot be found out, whether or not waiting helps: a rejection says nothing of the schema.
   * With StoppedError when the signal fires.
   */
  preview?(schema: Schema | null, topic: string, signal: AbortSignal): Promise<SchemaPreview | null>
  /** The compiled encoder of a schema that is prepared for the topic; cheap when called again with the same object. */
  encoderFor(schema: Schema | null, topic: string): ValueEncoder
}

/** Turns header values into bytes. */
export interface HeaderConverter {
  configure(options: Readonly<Record<string, string>>): void
  encode(schema: Schema | null, value: ConnectValue): Uint8Array | null
}
