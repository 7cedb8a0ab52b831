import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@tributary/testkit'
import { ADDONS, bundle, bundlePage, programVersion } from './bundle.ts'
import { librariesOf, renderLicences, type Library } from './licences.ts'
import { renderSbom } from './sbom.ts'

export interface BuiltPackage {
  /** The tarball, `tributary-<version>.tgz`. */
  readonly path: string
  readonly version: string
  readonly packedBytes: number
  readonly unpackedBytes: number
  /** The path of its bill of materials, `tributary-<version>.cdx.json`, which the tarball contains as `sbom.cdx.json`. */
  readonly sbomPath: string
  /** The third-party packages in it. */
  readonly libraries: readonly Library[]
}

/** Files of packages that are in the package otherwise than through the bundle: WebAssembly, and the page's libraries. */
const ALSO_IN_IT = [
  'node_modules/@node-rs/crc32/package.json',
  'node_modules/preact/package.json',
  'node_modules/uplot/package.json',
]

/** Builds the npm package and writes its tarball to a folder. */
export async function buildPackage(root: string, outFolder: string): Promise<BuiltPackage> {
  await using staging = temporaryFolder('pack')
  const version = programVersion(root)
  const dist = join(staging.path, 'dist')
  const files = await bundle({ root, outFolder: dist, commit: await commitOf(root) })
  cpSync(join(root, 'scripts/pack/start-thread.mjs'), join(dist, 'start-thread.js'))
  await bundlePage(join(dist, 'page'))
  const addons = copyAddons(root, join(dist, 'native'))
  const libraries = librariesOf(root, [...files, ...addons, ...ALSO_IN_IT])
  copyCommand(root, staging.path)
  const sbom = renderSbom({ root, version, builtAt: await commitTime(root), libraries })
  writeFileSync(join(staging.path, 'sbom.cdx.json'), sbom)
  writeFileSync(join(staging.path, 'THIRD-PARTY-LICENCES.txt'), renderLicences(libraries))
  copyFileSync(join(root, 'packages/cli/README.md'), join(staging.path, 'README.md'))
  for (const file of ['LICENSE', 'NOTICE']) copyFileSync(join(root, file), join(staging.path, file))
  writeFileSync(join(staging.path, 'package.json'), `${JSON.stringify(manifestOf(version), undefined, 2)}\n`)
  mkdirSync(outFolder, { recursive: true })
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', outFolder], { cwd: staging.path })
  const path = join(outFolder, `tributary-${version}.tgz`)
  const sbomPath = join(outFolder, `tributary-${version}.cdx.json`)
  writeFileSync(sbomPath, sbom)
  return { path, sbomPath, version, packedBytes: statSync(path).size, unpackedBytes: sizeOf(staging.path), libraries }
}

const run = promisify(execFile)

function manifestOf(version: string): Record<string, unknown> {
  return {
    name: 'tributary',
    version,
    description:
      'Change data capture from MySQL and MariaDB to Kafka: what Kafka Connect with Debezium does, as one program',
    license: 'Apache-2.0',
    type: 'module',
    bin: { tributary: 'bin/tributary.mjs' },
    // The package is a command; it exports no modules.
    exports: {},
    engines: { node: '>=22.2' },
  }
}

/**
 * The commit of the workspace, in sixteen digits as Kafka Connect reports its own. Outside of git, as in the build of an
 * image, that of the variable BUILD_COMMIT, or else `unknown`.
 */
async function commitOf(root: string): Promise<string> {
  const { BUILD_COMMIT = '' } = process.env
  if (/^[0-9a-f]{7,40}$/.test(BUILD_COMMIT)) return BUILD_COMMIT
  try {
    const { stdout } = await run('git', ['rev-parse', '--short=16', 'HEAD'], { cwd: root })
    return stdout.trim()
  } catch {
    return 'unknown'
  }
}

/** The time of the commit, or the present outside of git. */
async function commitTime(root: string): Promise<Date> {
  try {
    const { stdout } = await run('git', ['show', '--no-patch', '--format=%cI', 'HEAD'], { cwd: root })
    return new Date(stdout.trim())
  } catch {
    return new Date()
  }
}

/** Copies the addons and returns their paths in the workspace. */
function copyAddons(root: string, folder: string): readonly string[] {
  const addons = globSync(ADDONS, { cwd: root })
  mkdirSync(folder)
  for (const addon of addons) copyFileSync(join(root, addon), join(folder, basename(addon)))
  return addons
}

function copyCommand(root: string, folder: string): void {
  mkdirSync(join(folder, 'bin'))
  const command = join(folder, 'bin', 'tributary.mjs')
  cpSync(join(root, 'scripts/pack/tributary.mjs'), command)
  cpSync(join(root, 'scripts/pack/limit-memory.mjs'), join(folder, 'bin', 'limit-memory.mjs'))
  chmodSync(command, 0o755)
}

function sizeOf(folder: string): number {
  const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
