import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly author?: string | { readonly name: string }
}

/** A third-party package in the bundle. */
export interface Library {
  readonly name: string
  readonly version: string
  /** The SPDX identifier in its manifest. */
  readonly licence: string
  /** The author in its manifest; null without one. */
  readonly author: string | null
  /** The texts of its licence and notice files; empty when it has none. */
  readonly texts: readonly string[]
}

/**
 * Licences that permit distribution of the bundle together with their texts. Any other one needs a decision by a
 * person.
 */
const PERMISSIVE: ReadonlySet<string> = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0'])

const LICENCE_FILE = /^(licen[cs]e|copying|notice)/i

/**
 * Returns the packages that contain the given files of the workspace, ordered by name.
 *
 * @throws Error for a package whose licence is not in PERMISSIVE
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

/**
 * Returns `…/node_modules/name` or `…/node_modules/@scope/name` of the innermost package; null for a file of this
 * workspace.
 */
function packageFolder(file: string): string | null {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null
}

function libraryIn(folder: string): Library {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const { name, version, license = 'none', author } = manifest
  if (!PERMISSIVE.has(license)) {
    throw new Error(
      `${name} ${version} has the licence ${license}, which is not in PERMISSIVE: decide whether the package may contain it`,
    )
  }
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file))
  const texts = files.toSorted().map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return { name, version, licence: license, author: nameOf(author), texts }
}

function nameOf(author: Manifest['author']): string | null {
  return typeof author === 'object' ? author.name : (author ?? null)
}

/** Returns the text of the licences file: the list of packages, then the licence and notice texts of each. */
export function renderLicences(libraries: readonly Library[]): string {
  const list = libraries.map(({ name, version, licence }) => `- ${name} ${version} (${licence})`)
  return [
    'Tributary contains code of the following packages. Their licences follow the list.',
    list.join('\n'),
    ...libraries.map(renderLibrary),
    '',
  ].join('\n\n')
}

function renderLibrary({ name, version, licence, author, texts }: Library): string {
  const by = author === null ? '' : `, by ${author}`
  const own = `${name} ${version} contains no licence text. Its manifest names the licence: ${licence}${by}.`
  return [RULE, `${name} ${version}`, ...(texts.length === 0 ? [own, TEXTS[licence] ?? ''] : texts)].join('\n\n')
}

const RULE = '-'.repeat(80)

/** Licence texts for packages that name a licence and do not contain its text. */
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
