import { Decimal, EncodedText, type TextCharset } from '@tributary/connect-api'
import { ByteRun, ByteWriter } from '@tributary/support'
import { bigDecimalText } from '../text/java-number.ts'
import { writeBase64, writeUnscaled } from './base64.ts'
import type { JsonOptions } from './json-options.ts'
import { textBytesWriter, writeJsonText, type TextBytesWriter } from './json-text.ts'
import { internedRun } from './interned-run.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import type { JsonSlot } from './json-slot.ts'

/**
 * Compiled writers of values that hold no others. Each checks the type, copies what stands before the value and prints it;
 * null and what does not fit go to the slot.
 */

/** Integers of 32 bits and less: `unusedBits` of the 32 repeat the sign. */
export function compileSmallInteger(slot: JsonSlot, unusedBits: number): ValueWriter {
  const lead = internedRun(slot.lead)
  return (value, out) => {
    if (typeof value !== 'number' || (value << unusedBits) >> unusedBits !== value) {
      slot.writeOther(value, out)
      return
    }
    out.run(lead)
    out.integer(value)
  }
}

export function compileInt64(slot: JsonSlot): ValueWriter {
  const lead = internedRun(slot.lead)
  return (value, out) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) {
      out.run(lead)
      out.integer(value)
    } else if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) {
      out.run(lead)
      out.integer64(value)
    } else {
      slot.writeOther(value, out)
    }
  }
}

export function compileFloating(slot: JsonSlot, format: (value: number) => string): ValueWriter {
  const lead = internedRun(slot.lead)
  return (value, out) => {
    if (typeof value !== 'number') {
      slot.writeOther(value, out)
      return
    }
    out.run(lead)
    // JSON has no such numbers; Java writes their names as strings.
    out.ascii(Number.isFinite(value) ? format(value) : `"${value}"`)
  }
}

export function compileBoolean(slot: JsonSlot): ValueWriter {
  const whenTrue = internedRun(`${slot.lead}true`)
  const whenFalse = internedRun(`${slot.lead}false`)
  return (value, out) => {
    if (value === true) out.run(whenTrue)
    else if (value === false) out.run(whenFalse)
    else slot.writeOther(value, out)
  }
}

export function compileString(slot: JsonSlot): ValueWriter {
  const lead = internedRun(`${slot.lead}"`)
  // Names of servers, databases, tables and files come as the same string again and again: after some times its bytes are
  // kept, lead and quotes included. Saves an eighth of a record's time; for texts that differ it costs a comparison. A kept
  // text that is used only once more would cost more than it saves: a GTID comes as often as its transaction has rows.
  let lastText: string | null = null
  let lastRun: ByteRun | null = null
  let repeats = 0
  // One column has one charset.
  let charset: TextCharset | null = null
  let writeText: TextBytesWriter | null = null
  return (value, out) => {
    if (value instanceof EncodedText) {
      if (writeText === null || value.charset !== charset) {
        charset = value.charset
        writeText = textBytesWriter(charset)
      }
      out.run(lead)
      writeText(value.bytes, value.start, value.end, out)
      out.byte(QUOTE)
    } else if (typeof value === 'string') {
      if (value === lastText) {
        if (lastRun !== null) {
          out.run(lastRun)
          return
        }
        repeats += 1
        if (repeats === REPEATS_MIN) lastRun = stringRun(slot.lead, value)
      } else if (value.length >= KEPT_LENGTH_MIN && value.length <= KEPT_LENGTH_MAX) {
        lastText = value
        lastRun = null
        repeats = 0
      }
      out.run(lead)
      writeJsonText(value, out)
      out.byte(QUOTE)
    } else {
      slot.writeOther(value, out)
    }
  }
}

/** Shorter texts, such as the name of an operation, are written as fast as they are compared. */
const KEPT_LENGTH_MIN = 3
/** Longer texts are not names, and comparing them takes as long as writing them. */
const KEPT_LENGTH_MAX = 64
/** Making a run takes as long as writing the text about this often. */
const REPEATS_MIN = 16

function stringRun(lead: string, text: string): ByteRun {
  const out = new ByteWriter(64)
  writeJsonText(text, out)
  return new ByteRun(`${lead}"${out.copy().toString()}"`)
}

export function compileBytes(slot: JsonSlot): ValueWriter {
  const lead = internedRun(`${slot.lead}"`)
  return (value, out) => {
    if (!(value instanceof Uint8Array)) {
      slot.writeOther(value, out)
      return
    }
    out.run(lead)
    writeBase64(value, out)
    out.byte(QUOTE)
  }
}

export function compileDecimal(slot: JsonSlot, options: JsonOptions): ValueWriter {
  if (options.decimalFormat === 'NUMERIC') {
    const lead = internedRun(slot.lead)
    return (value, out) => {
      if (!(value instanceof Decimal)) {
        slot.writeOther(value, out)
        return
      }
      out.run(lead)
      out.ascii(bigDecimalText(value))
    }
  }
  const lead = internedRun(`${slot.lead}"`)
  const scale = Number(slot.schema.parameters?.['scale'])
  return (value, out) => {
    // The scale is not in the bytes: another one than the schema's would change the value.
    if (!(value instanceof Decimal) || value.scale !== scale) {
      slot.writeOther(value, out)
      return
    }
    out.run(lead)
    writeUnscaled(value, out)
    out.byte(QUOTE)
  }
}

const QUOTE = 0x22
