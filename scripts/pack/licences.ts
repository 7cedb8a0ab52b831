import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
}

/** A package of others in the bundle. */
export interface Library {
  readonly name: string
  readonly version: string
  /** As its manifest names it, in the words of SPDX. */
  readonly licence: string
  /** Who wrote it, when the manifest says so. */
  readonly author: string | null
  /** The texts of its licence and notice files; empty when it brings none. */
  readonly texts: readonly string[]
}

/** Licences under which the bundle may be passed on with nothing but their texts. Another one is a decision for people. */
const PERMISSIVE: ReadonlySet<string> = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'])

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i

/**
 * The packages that files of the workspace belong to, by name.
 *
 * @throws Error of a package whose licence is not one of PERMISSIVE
 */
export function librariesOf(root: string, files: readonly string[]): readonly Library[] {
  const folders = new Set(files.flatMap((file) => packageFolder(file) ?? []))
  // npm may have installed one version in several places.
  const libraries = new Map<string, Library>()
  for (const folder of folders) {
    const library = libraryIn(join(root, folder))
    libraries.set(`${library.name} ${library.version}`, library)
  }
  return [...libraries].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, library]) => library)
}

/** `…/node_modules/name` or `…/node_modules/@scope/name` of the innermost package; null for a file of our own. */
function packageFolder(file: string): string | null {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null
}

function libraryIn(folder: string): Library {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, version, license = 'none', author } = manifest
  if (!PERMISSIVE.has(license)) {
    throw new Error(`${name} ${version} has the licence ${license}: decide whether it may be in the package`)
  }
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file))
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return { name, version, licence: license, author: nameOf(author), texts }
}

function nameOf(author: Manifest['author']): string | null {
  return typeof author === 'object' ? author.name : (author ?? null)
}

/** The file of licences: what is in the bundle, and under each package all that its authors want to be passed on. */
export function renderLicences(libraries: readonly Library[]): string {
  const list = libraries.map(({ name, version, licence }) => `- ${name} ${version} (${licence})`)
  return [
    'Tributary contains code of the following packages. Their licences follow.',
    list.join('\n'),
    ...libraries.map(renderLibrary),
    '',
  ].join('\n\n')
}

function renderLibrary({ name, version, licence, author, texts }: Library): string {
  const by = author === null ? '' : `, by ${author}`
  const own = `${name} ${version} brings no text of its licence, which its manifest names: ${licence}${by}.`
  return [RULE, `${name} ${version}`, ...(texts.length === 0 ? [own, TEXTS[licence] ?? ''] : texts)].join('\n\n')
}

const RULE = '-'.repeat(80)

/** For packages that name a licence and bring no text. */
const TEXTS: Readonly<Record<string, string>> = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
}
