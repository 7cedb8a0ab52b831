/** What is used of it; TypeScript has it among the types of browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: ArrayBuffer
  }
}

/**
 * What an assembled module exports, which the caller knows; it imports its memory as `text.memory`. Null where there is no WebAssembly: an old
 * processor, a limit on addresses, a Node that was started without.
 */
export function loadWebAssembly<Exports extends object>(base64: string, memory: object): Exports | null {
  try {
    const module = new WebAssembly.Module(Buffer.from(base64, 'base64'))
    return new WebAssembly.Instance(module, { text: { memory } }).exports as Exports
  } catch {
    return null
  }
}

/** A memory of that size, which never grows. Null where there is no WebAssembly. */
export function createMemory(bytes: number): { readonly buffer: ArrayBuffer } | null {
  const pages = bytes / PAGE_BYTES
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages })
  } catch {
    return null
  }
}

const PAGE_BYTES = 2 ** 16
