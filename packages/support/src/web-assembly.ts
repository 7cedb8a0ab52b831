/** What is used of it; TypeScript has it among the types of browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

/**
 * What an assembled module exports, which the caller knows, with a memory of its own. Null where there is no WebAssembly: an old processor, a
 * limit on addresses, a Node that was started without.
 */
export function loadWebAssembly<Exports extends object>(base64: string): Exports | null {
  try {
    const module = new WebAssembly.Module(Buffer.from(base64, 'base64'))
    return new WebAssembly.Instance(module).exports as Exports
  } catch {
    return null
  }
}
