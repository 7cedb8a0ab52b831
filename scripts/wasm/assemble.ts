import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import wabt from 'wabt'

const root = new URL('../../', import.meta.url)

export const WAT_FILES: readonly URL[] = globSync('packages/*/src/**/*.wat', { cwd: fileURLToPath(root) }).map(
  (path) => new URL(path, root),
)

/**
 * Assembles a file in text format. Returns the source of a module with the bytes as base64, and the URL of that module.
 */
export async function assembled(file: URL): Promise<{ readonly target: URL; readonly source: string }> {
  const assembler = await wabt()
  const module = assembler.parseWat(fileURLToPath(file), readFileSync(file, 'utf8'), { simd: true })
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64')
  module.destroy()
  const name = /([^/]+)\.wat$/.exec(file.pathname)?.[1] ?? ''
  const lines =
    base64
      .match(/.{1,100}/g)
      ?.map((line) => `  '${line}',\n`)
      .join('') ?? ''
  const constant = `${name.replaceAll('-', '_').toUpperCase()}_WASM`
  const source = `/** ${name}.wat, assembled by scripts/wasm.ts. */\nexport const ${constant}: string = [\n${lines}].join('')\n`
  return { target: new URL(`${name}-wasm.ts`, file), source }
}
