import { readFileSync, statSync } from 'node:fs'
import { LookupError } from './config-provider.ts'

/** Far more than a properties file or a certificate has. A reference to another file must not fill the memory. */
const FILE_BYTES_MAX = 1024 * 1024

/**
 * Reads a whole file. Synchronous, because it is small and local, and nothing can continue without the configuration.
 *
 * @throws LookupError that names the file
 */
export function readSecretFile(path: string): string {
  try {
    const { size } = regularFile(path)
    if (size <= FILE_BYTES_MAX) return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof LookupError) throw error
    throw new LookupError(`the file ${path} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
  throw new LookupError(`the file ${path} has more than ${FILE_BYTES_MAX} bytes`)
}

/** Refuses pipes and devices, which could block the read forever. */
function regularFile(path: string): { readonly size: number } {
  const stats = statSync(path)
  if (!stats.isFile()) throw new LookupError(`${path} is not a file`)
  return stats
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EACCES', 'access is denied'],
  ['ENOTDIR', 'a part of the path is not a directory'],
])

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return REASONS.get(code) ?? String(code)
}
