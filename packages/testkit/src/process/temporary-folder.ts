import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface TemporaryFolder extends AsyncDisposable {
  readonly path: string
}

// Process ids are unique only within a pid namespace, and two containers may share one /tmp.
const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0'
const PREFIX = `tributary-${namespace}-`
let isSwept = false

/**
 * Creates a folder in the system's temporary folder. Disposal removes it with its contents.
 * Its name contains the process id of its owner. The first call in a process removes the folders of processes that have
 * ended without removing theirs.
 */
export function temporaryFolder(purpose = 'test'): TemporaryFolder {
  if (!isSwept) sweep()
  isSwept = true
  const path = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${purpose}-`))
  // Retries, because a process that was just killed may still be writing a file.
  const remove = (): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  return { path, [Symbol.asyncDispose]: remove }
}

function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const owner = Number(/^\d+/.exec(name.slice(PREFIX.length))?.[0])
    if (!isAlive(owner)) rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 3 })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
