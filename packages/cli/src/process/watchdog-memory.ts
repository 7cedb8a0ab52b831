/** The memory that the main thread shares with its watchdog: 32-bit integers, written by the main thread. */

/** Counts up at an interval. */
export const BEAT = 0
/** Milliseconds; 0 until a stop is requested. */
export const STOP_LIMIT = 1
/** 1 while a debugger is attached or may attach. */
export const DEBUGGED = 2

/** Always 0. */
export const WAKE = 3

export const MEMORY_BYTES: number = 4 * Int32Array.BYTES_PER_ELEMENT
