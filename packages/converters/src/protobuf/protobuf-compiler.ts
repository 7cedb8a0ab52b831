import { connectErrors, type ConnectValue, Struct } from '@tributary/connect-api'
import { ByteWriter, present, unreachable } from '@tributary/support'
import { StructWriter } from '../writers/struct-writer.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import { writeSized } from './protobuf-bytes.ts'
import { compileProtobufCell } from './protobuf-cells.ts'
import { writeDate, writeDecimal, writeTime, writeTimestamp } from './protobuf-logical.ts'
import type { ProtoField, ProtoMessage } from './protobuf-model.ts'
import type { ProtobufOptions } from './protobuf-options.ts'
import { compileScalar, misfit, type Slot, tagOf, wireTypeOf } from './protobuf-scalars.ts'

/** Compiles the writer of a message's fields, without tag and length. */
export function compileMessage(message: ProtoMessage, path: string, options: ProtobufOptions): ValueWriter {
  const { schema } = message
  const slots = message.fields.map((field) => slotOf(field, `${path}.${field.name}`))
  const writers = message.fields.map((field, i) =>
    compileField(field, { slot: present(slots[i], 'a slot per field'), outer: schema, options }),
  )
  const slot = { schema, path, tag: EMPTY, hasPresence: true }
  const structs = new StructWriter({
    schema,
    writers,
    compileCell: (raw, i) =>
      compileProtobufCell(raw, {
        field: present(message.fields[i], 'a field per writer'),
        slot: present(slots[i], 'a slot per field'),
        write: present(writers[i], 'a writer per field'),
      }),
    misfit: (value) => misfit(slot, value),
  })
  return (value, out) => {
    if (!(value instanceof Struct)) throw misfit(slot, value)
    structs.write(value, out)
  }
}

const EMPTY = new Uint8Array(0)
const scratch = new ByteWriter(16)

function slotOf({ schema, number, label, kind }: ProtoField, path: string): Slot {
  const wireType = kind === 'scalar' ? wireTypeOf(schema) : 2
  return { schema, path, tag: tagOf(number, wireType, scratch), hasPresence: label !== null }
}

interface FieldContext {
  readonly slot: Slot
  /** Of the struct that has the field. */
  readonly outer: ProtoMessage['schema']
  readonly options: ProtobufOptions
}

/** The writer of a field: nothing is written for null, which must be allowed. */
function compileField(field: ProtoField, { slot, outer, options }: FieldContext): ValueWriter {
  const schema = present(outer.fields[field.number - 1], 'a field of the schema').schema
  const write = field.label === 'repeated' ? compileList(field, slot, options) : compileValue(field, slot, options)
  const { defaultValue, isOptional } = schema
  const substitute = options.ignoreDefaultForNullables ? null : defaultValue
  return (value, out) => {
    const written = value ?? substitute
    if (written !== null) write(written, out)
    else if (!isOptional) throw connectErrors.VALUE_REQUIRED({ field: slot.path })
  }
}

function compileValue(field: ProtoField, slot: Slot, options: ProtobufOptions): ValueWriter {
  const { kind } = field
  switch (kind) {
    case 'scalar':
      return compileScalar(slot)
    case 'wrapper':
      return sized(slot, compileScalar(wrappedSlot(slot)))
    case 'message':
      return sized(slot, compileMessage(present(field.message, 'a message'), slot.path, options))
    case 'decimal': {
      const scale = Number(slot.schema.parameters?.['scale'])
      return sized(
        slot,
        checked(slot, (value, out) => writeDecimal(value, scale, out)),
      )
    }
    case 'date':
      return sized(slot, checked(slot, writeDate))
    case 'time':
      return sized(slot, checked(slot, writeTime))
    case 'timestamp':
      return sized(slot, checked(slot, writeTimestamp))
    default:
      return unreachable(kind)
  }
}

/** The only field of a wrapper message. */
export function wrappedSlot({ schema, path }: Slot): Slot {
  return { schema, path, tag: tagOf(1, wireTypeOf(schema), scratch), hasPresence: false }
}

function sized({ tag }: Slot, write: ValueWriter): ValueWriter {
  return (value, out) => writeSized(tag, out, () => write(value, out))
}

function checked(slot: Slot, write: (value: ConnectValue, out: ByteWriter) => boolean): ValueWriter {
  return (value, out) => {
    if (!write(value, out)) throw misfit(slot, value)
  }
}

/** Numbers and booleans of a list are packed into one field; all others are fields of their own. */
function compileList(field: ProtoField, slot: Slot, options: ProtobufOptions): ValueWriter {
  const isPacked = field.kind === 'scalar' && wireTypeOf(field.schema) !== 2
  const itemSlot = { ...slot, tag: isPacked ? EMPTY : slot.tag, hasPresence: true, path: `${slot.path}[]` }
  const writeItem = compileValue(field, itemSlot, options)
  const packedTag = tagOf(field.number, 2, scratch)
  const writeItems = (items: readonly ConnectValue[], out: ByteWriter): void => {
    for (const item of items) {
      if (item === null) throw connectErrors.VALUE_REQUIRED({ field: itemSlot.path })
      writeItem(item, out)
    }
  }
  return (value, out) => {
    if (!Array.isArray(value)) throw misfit(slot, value)
    const items: readonly ConnectValue[] = value
    if (items.length === 0) return
    if (isPacked) writeSized(packedTag, out, () => writeItems(items, out))
    else writeItems(items, out)
  }
}
