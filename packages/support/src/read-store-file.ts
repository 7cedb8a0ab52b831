import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs'

/** A store of all certificates of all public authorities is smaller than 1 MB. */
const STORE_BYTES_MAX = 16 << 20

/**
 * Reads a file of keys or certificates that a configuration names. It must be a regular file: a pipe without a writer
 * would block the thread, and a device such as `/dev/zero` has no end.
 *
 * @throws Error that states why it cannot be read
 */
export function readStoreFile(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = fstatSync(file)
    if (found.isDirectory()) throw new Error('it is a directory, not a file')
    if (!found.isFile()) throw new Error('it is not a regular file')
    if (found.size > STORE_BYTES_MAX) throw new Error(`the file is larger than ${STORE_BYTES_MAX >> 20} MiB`)
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
