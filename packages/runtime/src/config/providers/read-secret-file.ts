import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
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
    return readRegularFile(path)
  } catch (error) {
    if (error instanceof LookupError) throw error
    throw new LookupError(`the file ${path} cannot be read: ${reasonOf(error)}`, { cause: error })
  }
}

/**
 * Refuses pipes and devices, which could block the read forever. Without O_NONBLOCK, opening a pipe would wait for its
 * writer. The size is that of the bytes read: some files of the system, and files that grow, report another.
 */
function readRegularFile(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(file).isFile()) throw new LookupError(`${path} is not a file`)
    const bytes = Buffer.alloc(FILE_BYTES_MAX + 1)
    let length = 0
    while (length < bytes.length) {
      const count = readSync(file, bytes, length, bytes.length - length, null)
      if (count === 0) return bytes.toString('utf8', 0, length)
      length += count
    }
  } finally {
    closeSync(file)
  }
  throw new LookupError(`the file ${path} has more than ${FILE_BYTES_MAX} bytes`)
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'it does not exist'],
  ['EACCES', 'access is denied'],
  ['ENOTDIR', 'a part of the path is not a directory'],
  ['ELOOP', 'its symbolic links form a circle'],
  ['EAGAIN', 'it has no contents now'],
  ['ENXIO', 'it is not a file'],
  ['ENAMETOOLONG', 'its path is too long'],
])

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return REASONS.get(code) ?? String(code)
}
