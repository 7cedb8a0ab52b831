import { createMemory } from './web-assembly.ts'

/*
 * What lies where:
 *
 *        0   tables of utf8-escaper.wat
 *     2048   table of repetition-search.wat: 8,192 bytes, and the bytes of all texts so far
 *    10256   text and result of whichever module is called, for texts that stand elsewhere
 *   479232   the text buffer
 */
const BYTES = 2 ** 20
/** Where modules put what stands in their way for the time of a call, and how much there is of it. */
export const SCRATCH_AT = 10_256
const TEXT_BUFFER_AT = 479_232
export const SCRATCH_BYTES: number = TEXT_BUFFER_AT - SCRATCH_AT
/** Modules read and write some bytes behind a text. */
const BEHIND_TEXT_BYTES = 64

/**
 * The memory that the WebAssembly modules of a thread share (docs/adr/0016-webassembly-for-long-texts.md). What stands in its text buffer is
 * written and read by all of them where it stands; anything else is copied in, and out again.
 */
export interface TextMemory {
  /** As modules import it. */
  readonly memory: object
  readonly bytes: Buffer
  /** The buffer for the texts of one writer. */
  readonly textBuffer: Buffer
}

let shared: TextMemory | null | undefined
let isTaken = false

/** Null where there is no WebAssembly. */
export function textMemory(): TextMemory | null {
  if (shared === undefined) shared = makeTextMemory()
  return shared
}

/** The text buffer, for the one who asks first in this thread; null for others, and where there is no WebAssembly. */
export function takeTextBuffer(): Buffer | null {
  if (isTaken) return null
  isTaken = true
  return textMemory()?.textBuffer ?? null
}

function makeTextMemory(): TextMemory | null {
  const memory = createMemory(BYTES)
  if (memory === null) return null
  const { buffer } = memory
  const textBuffer = Buffer.from(buffer, TEXT_BUFFER_AT, BYTES - BEHIND_TEXT_BYTES - TEXT_BUFFER_AT)
  return { memory, bytes: Buffer.from(buffer), textBuffer }
}
