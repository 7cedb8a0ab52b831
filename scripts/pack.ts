/**
 * Builds the npm package: bundled JavaScript for Node 22.2 and later, without dependencies.
 *
 *     npm run pack             writes dist/tributary-<version>.tgz, and its bill of materials beside it
 *     npm run pack -- FOLDER   writes it to the folder
 */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackage } from './pack/build-package.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const [folder = 'dist', ...rest] = process.argv.slice(2)
if (rest.length > 0 || folder.startsWith('-')) {
  console.error('usage: pack.ts [FOLDER]')
  process.exit(2)
}
const { path, sbomPath, packedBytes, unpackedBytes, libraries } = await buildPackage(root, resolve(folder))
const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`
console.log(
  `${path}: ${megabytes(packedBytes)}, unpacked ${megabytes(unpackedBytes)}, with ${libraries.length} libraries`,
)
console.log(`${sbomPath}: what it contains (CycloneDX)`)
