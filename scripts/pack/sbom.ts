import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
 * with licences, package URLs, and the checksums of the archives that npm has installed.
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
  const bom = new Models.Bom({ metadata: new Models.Metadata({ timestamp: builtAt, component: application }) })
  for (const library of libraries) {
    const component = componentOf(library, digests)
    bom.components.add(component)
    application.dependencies.add(component.bomRef)
  }
  const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`
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
