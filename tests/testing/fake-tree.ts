import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@tributary/testkit'
import type { TemporaryFolder } from '@tributary/testkit'

/** This repository, with a slash at the end. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url))

const PACKAGES = ['support', 'rest-api', 'mysql', 'kafka', 'connector-kit', 'runtime', 'cli', 'testkit']

const SETTINGS = [
  '.dependency-cruiser.cjs',
  '.oxlintrc.json',
  '.oxfmtrc.json',
  '.editorconfig',
  'tsconfig.json',
  'package.json',
]
/**
 * The checkers with their modules, Node's types, and a library that no package of the tree may import without declaring
 * it.
 */
const INSTALLED = ['.bin', 'oxlint', '@oxlint', 'oxlint-tsgolint', '@oxlint-tsgolint', '@types', 'undici-types', 'pino']

/** A small workspace with this one's settings and installed programs, and the given files. */
export function fakeTree(files: Readonly<Record<string, string>>): TemporaryFolder {
  const folder = temporaryFolder('tree')
  const at = (path: string): string => join(folder.path, path)
  for (const name of SETTINGS) {
    cpSync(join(root, name), at(name))
  }
  cpSync(join(root, 'scripts/check.ts'), at('scripts/check.ts'))
  for (const name of ['tests', 'bench', 'node_modules/@tributary']) mkdirSync(at(name), { recursive: true })
  for (const name of INSTALLED) {
    symlinkSync(join(root, 'node_modules', name), at(`node_modules/${name}`))
  }
  for (const name of PACKAGES) {
    cpSync(join(root, `packages/${name}/package.json`), at(`packages/${name}/package.json`))
    symlinkSync(at(`packages/${name}`), at(`node_modules/@tributary/${name}`))
    write(at(`packages/${name}/src/index.ts`), `export const name = '${name}'\n`)
  }
  for (const [path, text] of Object.entries(files)) write(at(path), text)
  return folder
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
