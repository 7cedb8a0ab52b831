import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { testkitErrors } from '../errors.ts'

/** Where fetched servers are kept: `$TRIBUTARY_CACHE`, by default `~/.cache/tributary`. May be deleted at any time when no test runs. */
export function cacheFolder(): string {
  return process.env['TRIBUTARY_CACHE'] ?? join(homedir(), '.cache', 'tributary')
}

/** A short line about what takes long, on standard error: tests print to standard output. */
export function progress(line: string): void {
  process.stderr.write(`tributary testkit: ${line}\n`)
}

const underWay = new Map<string, Promise<string>>()

/**
 * The folder `name` of the cache, built by `build` when it is not there.
 *
 * It is built under another name and renamed when it is whole, so a folder that exists is complete whatever interrupted an
 * earlier try. One process builds at a time; others wait for it.
 */
export function provisionFolder(name: string, build: (folder: string) => Promise<void>): Promise<string> {
  let result = underWay.get(name)
  if (result === undefined) {
    result = buildOnce(name, build).finally(() => underWay.delete(name))
    underWay.set(name, result)
  }
  return result
}

/** The lock under which one process at a time changes what `name` stands for; released on disposal. */
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

const SAY_WAITING_AFTER_MS = 2000

/**
 * An exclusive lock between processes. util-linux's flock holds it as long as its standard input is open, so it is released
 * by the kernel when this process ends in any way: no stale locks, no guesses by age.
 */
function lockFile(path: string): Promise<AsyncDisposable> {
  const holder = spawn('flock', [path, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>((resolve) => holder.once('exit', () => resolve()))
  const waiting = setTimeout(
    () => progress(`another process is fetching servers; waiting for it (${path})`),
    SAY_WAITING_AFTER_MS,
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
