import { Decimal, EncodedText, type TextCharset, bigDecimalText } from '@tributary/connect-api'
import { ByteRun, ByteWriter } from '@tributary/support'
import { writeBase64, writeUnscaled } from './base64.ts'
import type { JsonOptions } from './json-options.ts'
import { textBytesWriter, writeJsonText, type TextBytesWriter } from './json-text.ts'
import { internedRun } from './interned-run.ts'
import type { ValueWriter } from '../writers/value-writer.ts'
import type { JsonSlot } from './json-slot.ts'

/**
 * Compiles the writers of scalar values. Each writer checks the type, copies the lead (punctuation and field name) and
 * prints the value. It passes null and values of a wrong type to the slot.
 */

/** Integers of 32 bits or fewer. `unusedBits`: by how many bits the type is narrower than 32. */
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
    // JSON has no NaN and no infinities; Java writes their names as strings.
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
  // Names of servers, databases, tables and files repeat in every record. After some repeats their bytes are cached,
  // with lead and quotes, which saves an eighth of a record's time; texts that differ cost one comparison. The cache
  // waits for several repeats, because a text that is used only once more costs more than it saves: a GTID repeats only
  // within its transaction.
  let lastText: string | null = null
  let lastRun: ByteRun | null = null
  let repeats = 0
  // A column has one charset, so that the writer is almost never replaced.
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

/** Shorter texts, such as the operation, are written as fast as they are compared. */
const KEPT_LENGTH_MIN = 3
/** Longer texts are rarely names, and comparing them takes as long as writing them. */
const KEPT_LENGTH_MAX = 64
/** Making a run takes about as long as writing the text this number of times. */
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
    // The bytes do not contain the scale: a scale other than the schema's would change the value.
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
