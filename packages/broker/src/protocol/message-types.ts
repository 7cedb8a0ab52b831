import type { messages } from './messages.table.ts'

/** A field of a message as messages.table.ts has it. */
export interface FieldSchema {
  readonly name: string
  readonly type: keyof WireValues | 'struct'
  /** First version with the field. */
  readonly from: number
  /** Last version with the field. Default: all later ones. */
  readonly to?: number
  readonly array?: true
  /** First version in which it may be null. */
  readonly nullableFrom?: number
  /** With `taggedFrom`: the tag of the field and the first version in which it is a tagged field. */
  readonly tag?: number
  readonly taggedFrom?: number
  /** The value when a version lacks the field. Default: 0, false, '', no bytes, no elements. */
  readonly default?: number | bigint | boolean | string | null
  readonly fields?: readonly FieldSchema[]
}

/** Type of the protocol → type of its values here. 64-bit integers are exact. UUIDs are base64url, as Kafka prints them. */
export interface WireValues {
  readonly int8: number
  readonly int16: number
  readonly uint16: number
  readonly int32: number
  readonly int64: bigint
  readonly float64: number
  readonly bool: boolean
  readonly string: string
  readonly uuid: string
  readonly bytes: Buffer
  readonly records: Buffer
}

export type Messages = typeof messages
/** The name of a request: `Produce`. */
export type ApiName = keyof Messages

type Single<Field> = Field extends { readonly fields: infer Fields extends readonly FieldSchema[] }
  ? Struct<Fields>
  : Field extends { readonly type: infer Type extends keyof WireValues }
    ? WireValues[Type]
    : never
type Value<Field> = Field extends { readonly array: true } ? readonly Single<Field>[] : Single<Field>
type OrNull<Field, T> = Field extends { readonly nullableFrom: number } ? T | null : T

/** A struct that was read: it has all fields, those that its version lacks with their defaults. */
export type Struct<Fields extends readonly FieldSchema[]> = {
  readonly [Field in Fields[number] as Field['name']]: OrNull<Field, Value<Field>>
}

type OutgoingSingle<Field> = Field extends { readonly fields: infer Fields extends readonly FieldSchema[] }
  ? OutgoingStruct<Fields>
  : Single<Field>
type OutgoingValue<Field> = Field extends { readonly array: true }
  ? readonly OutgoingSingle<Field>[]
  : OutgoingSingle<Field>

/** A struct to write: absent fields have their defaults, as in Kafka. */
export type OutgoingStruct<Fields extends readonly FieldSchema[]> = {
  readonly [Field in Fields[number] as Field['name']]?: OrNull<Field, OutgoingValue<Field>>
}

export type RequestOf<Name extends ApiName> = Struct<Messages[Name]['request']>
export type ResponseOf<Name extends ApiName> = OutgoingStruct<Messages[Name]['response']>
/** A response as a client reads it. */
export type ReceivedResponse<Name extends ApiName> = Struct<Messages[Name]['response']>
/** A request as a client writes it. */
export type SentRequest<Name extends ApiName> = OutgoingStruct<Messages[Name]['request']>
