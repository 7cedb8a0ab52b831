/** The part of the global WebAssembly that is used here; TypeScript has it among the types of browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WebAssemblyMemory
}

export interface WebAssemblyMemory {
  readonly buffer: ArrayBuffer
}

/**
 * Loads an assembled module, which imports its memory as `shared.memory` and the address of its own region in it as
 * `shared.region`. The caller knows what it exports. Null where there is no WebAssembly: an old processor, a limit on
 * addresses, a Node that was started without it.
 */
export function loadWebAssembly<Exports extends object>(
  base64: string,
  memory: WebAssemblyMemory,
  region: number,
): Exports | null {
  try {
    const module = new WebAssembly.Module(Buffer.from(base64, 'base64'))
    return new WebAssembly.Instance(module, { shared: { memory, region } }).exports as Exports
  } catch {
    return null
  }
}

/** A memory of that size, which never grows. Null where there is no WebAssembly. */
export function createMemory(bytes: number): WebAssemblyMemory | null {
  const pages = bytes / PAGE_BYTES
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages })
  } catch {
    return null
  }
}

const PAGE_BYTES = 2 ** 16
