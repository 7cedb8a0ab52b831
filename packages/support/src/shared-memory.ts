import { assert } from './assert.ts'
import { createMemory, loadWebAssembly, type WebAssemblyMemory } from './web-assembly.ts'

/**
 * The memory that the WebAssembly modules of a thread share (docs/adr/0016-webassembly-for-long-texts.md). Each module
 * allocates a region for its tables and for the bytes that it works on.
 *
 * A writer whose buffer is allocated here too saves copies: modules read and write that buffer in place. Any other
 * buffer is copied into the region of the module and out again.
 *
 * Regions of modules are never freed: modules are loaded once for the life of the thread. Buffers are.
 */
export class SharedMemory {
  /** The whole memory: an index is an address. */
  readonly bytes: Buffer
  readonly #memory: WebAssemblyMemory
  readonly #buffers: Buffer[] = []
  /** Buffers that their owners no longer use. */
  readonly #unused: Buffer[] = []
  /** Reserved for modules, which are loaded when a text needs them: later than most buffers are allocated. */
  readonly #moduleBytes: number
  #free = 0

  private constructor(memory: WebAssemblyMemory, moduleBytes: number) {
    this.#memory = memory
    this.#moduleBytes = moduleBytes
    this.bytes = Buffer.from(memory.buffer)
  }

  /** The memory of this thread, made for the first caller. Null where there is no WebAssembly. */
  static ofThread(): SharedMemory | null {
    if (ofThread === undefined) ofThread = SharedMemory.create(MEMORY_BYTES, MODULE_BYTES)
    return ofThread
  }

  /** `moduleBytes`: what buffers leave to the modules. Null where there is no WebAssembly. */
  static create(byteLength: number, moduleBytes = 0): SharedMemory | null {
    const memory = createMemory(byteLength)
    return memory === null ? null : new SharedMemory(memory, moduleBytes)
  }

  /** Reserves a region, filled with zeros, for the caller; returns its address, a multiple of 16. */
  allocate(byteLength: number): number {
    const at = this.#reserve(byteLength, this.bytes.length)
    assert(at !== null, `the shared memory has room for ${byteLength} bytes`)
    return at
  }

  /** Reserves a region and returns it as a buffer, which `contains` recognises. Null when there is no room for it. */
  allocateBuffer(byteLength: number): Buffer | null {
    const index = this.#unused.findIndex((each) => each.length === byteLength)
    if (index >= 0) return this.#unused.splice(index, 1)[0] ?? null
    const at = this.#reserve(byteLength, this.bytes.length - this.#moduleBytes)
    if (at === null) return null
    const buffer = Buffer.from(this.#memory.buffer, at, byteLength)
    this.#buffers.push(buffer)
    return buffer
  }

  /** Gives a buffer of `allocateBuffer` back. Its owner must not use it any more. */
  freeBuffer(buffer: Buffer): void {
    this.#unused.push(buffer)
  }

  /** Whether this is a buffer of `allocateBuffer`: its `byteOffset` is its address. */
  contains(buffer: Buffer): boolean {
    return this.#buffers.includes(buffer)
  }

  /** Loads a module that works on this memory and on the region at that address. Null where there is no WebAssembly. */
  load<Exports extends object>(base64: string, region: number): Exports | null {
    return loadWebAssembly<Exports>(base64, this.#memory, region)
  }

  #reserve(byteLength: number, limit: number): number | null {
    const at = this.#free
    const end = at + Math.ceil((byteLength + SPARE_BYTES) / ALIGNMENT) * ALIGNMENT
    if (end > limit) return null
    this.#free = end
    return at
  }
}

let ofThread: SharedMemory | null | undefined

/** The regions of all modules take 0.58 MB. */
const MODULE_BYTES: number = 10 * 2 ** 16
/** Besides, room for the buffers of eight tasks of more than half a MB each. Untouched pages cost nothing. */
const MEMORY_BYTES: number = MODULE_BYTES + 73 * 2 ** 16
/** Modules read and write up to so many bytes after a text, which belong to no region. */
const SPARE_BYTES = 64
const ALIGNMENT = 16
