import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { brokerErrors } from '../errors.ts'

const LOCK = 'lock'

/**
 * A file that names the process that uses a folder. Node has no file locks, so the file has the number of the process,
 * when it started, and its host: a file of a process that has ended, or whose number another process has by now, is
 * replaced. Whether a process of another host has ended cannot be known: another machine, another container, or this
 * machine before its last start.
 *
 * @throws BROKER_FOLDER_LOCKED, BROKER_FOLDER_ELSEWHERE
 */
export class FolderLock {
  readonly #path: string
  readonly #content: string

  constructor(folder: string) {
    this.#path = join(folder, LOCK)
    this.#content = `${process.pid} ${startTimeOf(process.pid)} ${thisHost()}`
    const own = join(folder, `${LOCK}.${process.pid}`)
    writeFileSync(own, this.#content)
    try {
      // A link is made only if the name is free, and with its content.
      while (!tryLink(own, this.#path)) this.#removeStale(folder, own)
    } finally {
      rmSync(own, { force: true })
    }
  }

  release(): void {
    if (readOrNull(this.#path) === this.#content) rmSync(this.#path, { force: true })
  }

  #removeStale(folder: string, own: string): void {
    const content = readOrNull(this.#path)
    if (content === null) return
    const [pid = '', , name = '', boot = ''] = content.split(' ')
    if (`${name} ${boot}` !== thisHost()) {
      throw brokerErrors.BROKER_FOLDER_ELSEWHERE({ folder, pid, host: name, path: this.#path })
    }
    if (isAlive(content)) throw brokerErrors.BROKER_FOLDER_LOCKED({ folder, pid })
    const aside = `${own}.stale`
    try {
      renameSync(this.#path, aside)
    } catch {
      // Another process was faster.
      return
    }
    // Between the two calls another process may have taken the lock: it gets it back.
    if (readOrNull(aside) !== content) tryLink(aside, this.#path)
    rmSync(aside, { force: true })
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function isAlive(content: string): boolean {
  const [pid = '', started = ''] = content.split(' ')
  const number = Number(pid)
  if (!Number.isInteger(number) || number <= 0) return false
  try {
    process.kill(number, 0)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false
  }
  return started === startTimeOf(number)
}

/** The name of the machine or container, and a number of the machine's start; empty where there is no /proc. */
function thisHost(): string {
  const boot = readOrNull('/proc/sys/kernel/random/boot_id') ?? ''
  return `${hostname().replaceAll(/\s/g, '_')} ${boot.trim()}`
}

/** Ticks since the boot of the machine; empty where there is no /proc. */
function startTimeOf(pid: number): string {
  const stat = readOrNull(`/proc/${pid}/stat`)
  // The name of the program may contain anything; after its last parenthesis come fields 3 and later.
  return stat === null ? '' : (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '')
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
