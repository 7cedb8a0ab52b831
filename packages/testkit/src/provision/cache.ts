import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { testkitErrors } from '../errors.ts'

/**
 * The folder of downloaded servers: `$TRIBUTARY_CACHE`, or `~/.cache/tributary`. It can be deleted while no test runs.
 */
export function cacheFolder(): string {
  return process.env['TRIBUTARY_CACHE'] ?? join(homedir(), '.cache', 'tributary')
}

/** Reports a long operation on standard error, because tests use standard output. */
export function progress(line: string): void {
  process.stderr.write(`tributary testkit: ${line}\n`)
}

const builds = new Map<string, Promise<string>>()

/**
 * The folder `name` of the cache; calls `build` if it does not exist.
 *
 * `build` fills a folder with another name, which is renamed at the end. So an existing folder is complete, even if an
 * earlier build was interrupted. One process builds at a time; others wait for it.
 */
export function provisionFolder(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  let result = builds.get(name)
  if (result === undefined) {
    result = buildOnce(name, build).finally(() => builds.delete(name))
    builds.set(name, result)
  }
  return result
}

/** Waits for the lock `name`, which one process at a time can hold; disposal releases it. */
export async function provisioningLock(name: string): Promise<AsyncDisposable> {
  await mkdir(cacheFolder(), { recursive: true })
  return lockFile(join(cacheFolder(), `${name}.lock`))
}

async function buildOnce(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder(), name)
  if (existsSync(folder)) return folder
  await using _lock = await provisioningLock(name)
  if (existsSync(folder)) return folder
  const unfinished = `${folder}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished)
  await build(unfinished)
  await rename(unfinished, folder)
  return folder
}

const REPORT_WAITING_AFTER_MS = 2000

/**
 * An exclusive lock between processes. util-linux's flock holds it while its standard input is open, so the kernel
 * releases it when this process ends, in whatever way. There are no stale locks.
 */
function lockFile(path: string): Promise<AsyncDisposable> {
  const holder = spawn('flock', [path, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => holder.once('exit', () => resolve()))
  const waiting = setTimeout(
    () => progress(`another process is fetching servers; waiting for it (${path})`),
    REPORT_WAITING_AFTER_MS,
  )
  const release = async (): Promise<void> => {
    holder.stdin.end()
    await ended
  }
  return new Promise<AsyncDisposable>((resolve, reject) => {
    holder.once('error', (error) =>
      reject(
        testkitErrors.PROGRAM_MISSING(
          { program: 'flock', purpose: 'the cache of servers', package: 'util-linux' },
          error,
        ),
      ),
    )
    holder.once('exit', (code) => reject(new Error(`flock ${path} ended with code ${code} before it had the lock`)))
    holder.stdout.once('data', () => resolve({ [Symbol.asyncDispose]: release }))
  }).finally(() => clearTimeout(waiting))
}
