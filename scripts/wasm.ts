/**
 * Assembles what is written in WebAssembly's text format: `node scripts/wasm.ts` writes each `NAME.wat` into `NAME-wasm.ts` beside it, which is
 * what the program loads. Tests hold that the two belong together.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assembled, WAT_FILES } from './wasm/assemble.ts'

for (const file of WAT_FILES) {
  const { target, source } = await assembled(file)
  writeFileSync(target, source)
  process.stdout.write(`${fileURLToPath(target)}\n`)
}
