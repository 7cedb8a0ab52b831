import { readLengthEncoded, type LengthCursor } from '../types/length-encoded.ts'

/**
 * Checks the packets of an answer before the driver reads them. The driver reads past the end of a packet, takes a
 * missing value for an empty one, and prints what it cannot read on the console.
 *
 * Answer to COM_QUERY (protocol page "Text Resultset"): OK, or an error, or the number of columns · a definition for
 * each · EOF · rows · EOF. OK and EOF have a status, with a bit when the answer to another statement follows. The login
 * does not request CLIENT_DEPRECATE_EOF.
 */
export class AnswerShape {
  #step: 'over' | 'header' | 'columns' | 'endOfColumns' | 'rows' = 'over'
  #columns = 0
  #columnsLeft = 0
  readonly #cursor: LengthCursor = { at: 0 }

  /** The answer to a statement follows. */
  begin(): void {
    this.#step = 'header'
  }

  /** Why the next packet of the answer is not one that belongs there; null when it does. */
  problemOf(payload: Buffer): string | null {
    if (this.#step === 'over') return null
    try {
      return this.#problem(payload)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      return 'it sent a packet that ends before its fields do'
    }
  }

  #problem(payload: Buffer): string | null {
    if (payload[0] === ERROR_PACKET && this.#step !== 'columns') return this.#error(payload)
    switch (this.#step) {
      case 'over':
        return null
      case 'header':
        return this.#header(payload)
      case 'columns':
        this.#columnsLeft -= 1
        if (this.#columnsLeft === 0) this.#step = 'endOfColumns'
        return this.#definition(payload)
      case 'endOfColumns':
        this.#step = 'rows'
        return isEnd(payload) ? null : 'it sent no end of the columns'
      case 'rows':
        return isEnd(payload) ? this.#end(payload.readUInt16LE(3)) : this.#row(payload)
    }
  }

  #error(payload: Buffer): string | null {
    this.#step = 'over'
    return payload.length < ERROR_BYTES_MIN ? 'it sent an error without a number' : null
  }

  #header(payload: Buffer): string | null {
    if (payload[0] === LOCAL_FILE) return 'it requested a file of this host instead of an answer'
    this.#cursor.at = 0
    this.#columns = readLengthEncoded(payload, this.#cursor)
    this.#columnsLeft = this.#columns
    if (this.#columns === 0) return this.#ok(payload)
    this.#step = 'columns'
    if (this.#cursor.at === payload.length && this.#columns <= COLUMNS_MAX) return null
    return `it announced ${this.#columns} columns in ${payload.length} bytes`
  }

  /** OK: 0x00 · int<lenenc> rows · int<lenenc> id · int<2> status · int<2> warnings · … */
  #ok(payload: Buffer): string | null {
    readLengthEncoded(payload, this.#cursor)
    readLengthEncoded(payload, this.#cursor)
    const status = payload.readUInt16LE(this.#cursor.at)
    payload.readUInt16LE(this.#cursor.at + 2)
    return this.#end(status)
  }

  /** Six texts · 0x0c · int<2> charset · int<4> length · int<1> type · int<2> flags · int<1> decimals · 2 bytes. */
  #definition(payload: Buffer): string | null {
    this.#cursor.at = 0
    for (let texts = 0; texts < TEXTS; texts++) this.#skip(payload)
    const isRight = this.#cursor.at === payload.length - FIXED_BYTES && payload[this.#cursor.at] === FIXED_BYTES - 1
    return isRight ? null : 'it sent a column that ends before its fields do'
  }

  #row(payload: Buffer): string | null {
    this.#cursor.at = 0
    let values = 0
    for (; this.#cursor.at < payload.length; values++) this.#skip(payload)
    const isRight = this.#cursor.at === payload.length && values === this.#columns
    return isRight ? null : `it sent a row that does not have ${this.#columns} columns`
  }

  #skip(payload: Buffer): void {
    if (payload[this.#cursor.at] === NULL) {
      this.#cursor.at += 1
      return
    }
    const length = readLengthEncoded(payload, this.#cursor)
    this.#cursor.at += length
  }

  #end(status: number): null {
    this.#step = (status & MORE_RESULTS) === 0 ? 'over' : 'header'
    return null
  }
}

function isEnd(payload: Buffer): boolean {
  return payload[0] === EOF_PACKET && payload.length === EOF_BYTES
}

const ERROR_PACKET = 0xff
const ERROR_BYTES_MIN = 3
const EOF_PACKET = 0xfe
const EOF_BYTES = 5
const LOCAL_FILE = 0xfb
const NULL = 0xfb
/** Of a column definition. MariaDB sends a seventh one only on request. */
const TEXTS = 6
/** 0x0c and the 12 bytes that it announces. */
const FIXED_BYTES = 13
/** Of a table; a SELECT cannot have more either. */
const COLUMNS_MAX = 4_096
const MORE_RESULTS = 0x08
