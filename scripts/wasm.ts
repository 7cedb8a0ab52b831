/**
 * Assembles the files in WebAssembly's text format: `node scripts/wasm.ts` writes each `NAME.wat` as `NAME-wasm.ts`
 * beside it, which the program loads. A test compares the two.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assembled, WAT_FILES } from './wasm/assemble.ts'

for (const file of WAT_FILES) {
  const { target, source } = await assembled(file)
  writeFileSync(target, source)
  process.stdout.write(`${fileURLToPath(target)}\n`)
}
