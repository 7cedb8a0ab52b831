import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import type { Library } from './licences.ts'

export interface SbomOptions {
  /** The workspace. */
  readonly root: string
  readonly version: string
  /** Of the commit, so that the same commit gives the same document. */
  readonly builtAt: Date
  /** The third-party packages in the package. */
  readonly libraries: readonly Library[]
}

/**
 * Returns the bill of materials of the package in CycloneDX 1.6 (JSON): exactly the packages of which it contains code,
 * with licences, package URLs, and the checksums of the archives that npm has installed. It has the minimum elements of
 * the NTIA, among them who supplies the package and who has written the document. Its serial number is made of its
 * content.
 */
export function renderSbom({ root, version, builtAt, libraries }: SbomOptions): string {
  const digests = installedDigests(root)
  const application = new Models.Component(Enums.ComponentType.Application, 'tributary', {
    version,
    description: 'Change data capture from MySQL and MariaDB to Kafka',
    bomRef: `tributary@${version}`,
    purl: packageUrl({ name: 'tributary', version }),
    licenses: new Models.LicenseRepository([new Models.SpdxLicense('Apache-2.0')]),
  })
  const authors = new Models.OrganizationalEntity({ name: 'The Tributary authors' })
  application.supplier = authors
  const bom = new Models.Bom({
    metadata: new Models.Metadata({
      timestamp: builtAt,
      component: application,
      supplier: authors,
      authors: new Models.OrganizationalContactRepository([
        new Models.OrganizationalContact({ name: 'The Tributary authors' }),
      ]),
      lifecycles: new Models.LifecycleRepository([Enums.LifecyclePhase.Build]),
    }),
  })
  for (const library of libraries) {
    const component = componentOf(library, digests)
    bom.components.add(component)
    application.dependencies.add(component.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  const options = { sortLists: true, space: 2 } as const
  bom.serialNumber = `urn:uuid:${uuidOf(serializer.serialize(bom, options))}`
  return `${serializer.serialize(bom, options)}\n`
}

/** A UUID of version 8 (RFC 9562), whose bits are the application's own: those of a SHA-256. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function componentOf(library: Library, digests: ReadonlyMap<string, string>): Models.Component {
  const { name, version, licence, author } = library
  const [scope, base] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const digest = digests.get(`${name}@${version}`)
  return new Models.Component(Enums.ComponentType.Library, base ?? name, {
    ...(scope === undefined ? {} : { group: scope }),
    ...(author === null ? {} : { author }),
    version,
    bomRef: `${name}@${version}`,
    purl: packageUrl({ name, version }),
    scope: Enums.ComponentScope.Required,
    licenses: new Models.LicenseRepository([new Models.SpdxLicense(licence)]),
    hashes: new Models.HashDictionary(digest === undefined ? [] : [[Enums.HashAlgorithm['SHA-512'], digest]]),
  })
}

/** The type `npm` of the specification of package URLs: the scope is a namespace, whose `@` is encoded. */
function packageUrl({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>
}

/** SHA-512 of the archive of each package (`name@version`) in hexadecimal, from package-lock.json. */
function installedDigests(root: string): ReadonlyMap<string, string> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
  const digests = new Map<string, string>()
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const name = /(?:^|.*\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1]
    const base64 = /^sha512-(.+)$/.exec(integrity ?? '')?.[1]
    if (name === undefined || base64 === undefined) continue
    digests.set(`${name}@${version ?? ''}`, Buffer.from(base64, 'base64').toString('hex'))
  }
  return digests
}
