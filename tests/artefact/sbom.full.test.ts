/** The bill of materials of the packed release, against the official schema and against what is in the tarball. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { runProgram, temporaryFolder } from '@tributary/testkit'
import { type BuiltPackage, buildPackage } from '../../scripts/pack/build-package.ts'

interface Component {
  readonly group?: string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly licenses: readonly { readonly license: { readonly id: string } }[]
  readonly hashes: readonly { readonly alg: string; readonly content: string }[]
}

interface Sbom {
  readonly serialNumber: string
  readonly metadata: {
    readonly timestamp: string
    readonly component: Component
    readonly supplier: { readonly name: string }
    readonly authors: readonly { readonly name: string }[]
  }
  readonly components: readonly Component[]
}

const root = join(import.meta.dirname, '../..')
const output = temporaryFolder('sbom')
let built: BuiltPackage
let text: string
let components: readonly Component[]

before(async () => {
  built = await buildPackage(root, output.path)
  const { code, stderr } = await runProgram('tar', ['xzf', built.path, '-C', output.path])
  assert.equal(code, 0, stderr)
  text = readFileSync(join(output.path, 'package/sbom.cdx.json'), 'utf8')
  components = (JSON.parse(text) as Sbom).components
})
after(() => output[Symbol.asyncDispose]())

test('the document is valid CycloneDX 1.6, and the validation does find faults', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Spec1dot6.version)
  assert.equal(await validator.validate(text), null)
  assert.notEqual(await validator.validate(text.replace('"type": "library"', '"type": "book"')), null)
  assert.equal(readFileSync(built.sbomPath, 'utf8'), text)
})

test('it states who supplies the package, who has written the document, and which document it is', () => {
  const { serialNumber, metadata } = JSON.parse(text) as Sbom
  const authors = 'The Tributary authors'
  assert.ok(readFileSync(join(root, 'NOTICE'), 'utf8').includes(authors))
  assert.deepEqual([metadata.supplier.name, metadata.authors.map(({ name }) => name)], [authors, [authors]])
  assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.ok(Date.parse(metadata.timestamp) > 0)
})

test('it lists exactly the packages whose code is in the tarball', () => {
  const found = new Set([...bundledPackages(), ...addonPackages(), ...PACKAGES_WITHOUT_A_TRACE])
  assert.deepEqual(components.map(idOf).toSorted(), [...found].toSorted())
})

/** The bundler writes the path of each module above its code. */
function bundledPackages(): readonly string[] {
  const dist = join(output.path, 'package/dist')
  const folders = globSync('*.{js,cjs}', { cwd: dist }).flatMap((file) =>
    Array.from(
      readFileSync(join(dist, file), 'utf8').matchAll(/^\s*\/\/ (\S*node_modules\/(?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gm),
      ([, folder = '']) => folder,
    ),
  )
  return [...new Set(folders)].map((folder) => idOfFolder(join(root, folder)))
}

function addonPackages(): readonly string[] {
  const addons = globSync('package/dist/native/*.node', { cwd: output.path })
  return addons.map((addon) => {
    const platform = basename(addon, '.node').replace('crc32.', '')
    return idOfFolder(join(root, 'node_modules/@node-rs', `crc32-${platform}`))
  })
}

/** The page is minified; the package of the addon is the one that describes it. */
const PACKAGES_WITHOUT_A_TRACE = ['preact', 'uplot', '@node-rs/crc32'].map((name) =>
  idOfFolder(join(root, 'node_modules', name)),
)

function idOfFolder(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Component
  return `${name}@${version}`
}

function idOf({ group, name, version }: Component): string {
  return `${group === undefined ? '' : `${group}/`}${name}@${version}`
}

test('each component has the licence of its manifest, a package URL and the checksum of its archive', () => {
  assert.ok(components.length > 50)
  for (const component of components) {
    const [id, [licence]] = [idOf(component), component.licenses]
    const found = built.libraries.find(({ name, version }) => `${name}@${version}` === id)
    assert.equal(licence?.license.id, found?.licence, id)
    assert.equal(decodeURIComponent(component.purl), `pkg:npm/${id}`)
    assert.match(component.purl, /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@[\w.-]+$/)
    assert.deepEqual(
      component.hashes.map(({ alg, content }) => [alg, content.length]),
      [['SHA-512', 128]],
      id,
    )
  }
})
