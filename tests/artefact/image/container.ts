import { readFileSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually, type ProgramResult, runProgram, ServerProcess } from '@tributary/testkit'
import type { Image } from './build-image.ts'

/**
 * Makes the file system of an image the root of new namespaces, as a container engine does with `--read-only`,
 * `--tmpfs /tmp`, `--cap-drop ALL` and `--security-opt no-new-privileges`, and becomes its first process. Arguments:
 * the folder, user and group, then the command.
 */
const ENTER = `set -e
root=$1 uid=$2 gid=$3; shift 3
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount -t tmpfs -o size=16m,mode=1777,nosuid,nodev tmpfs "$root/tmp"
mount -t tmpfs -o size=64k,mode=755,nosuid tmpfs "$root/dev"
for device in null zero random urandom; do
  : > "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mount -o remount,bind,ro "$root"
cd "$root"
exec chroot "$root" setpriv --reuid="$uid" --regid="$gid" --clear-groups --bounding-set=-all --inh-caps=-all \
  --no-new-privs -- "$@"`

const UNSHARE = [...'--mount --pid --ipc --uts --fork --kill-child -- sh -c'.split(' '), ENTER, 'enter']
const NSENTER = '--mount --pid --ipc --uts --root --wd=/'.split(' ')

/** A running container: the network is that of the machine, everything else is its own. */
export class Container implements AsyncDisposable {
  readonly #image: Image
  readonly #process: ServerProcess
  readonly #logFile: string
  readonly #environment: Readonly<Record<string, string>>

  private constructor(
    image: Image,
    parts: { process: ServerProcess; logFile: string; environment: Image['environment'] },
  ) {
    this.#image = image
    this.#process = parts.process
    this.#logFile = parts.logFile
    this.#environment = parts.environment
  }

  /** Starts the command of the image and waits until its health check succeeds. */
  static async start(image: Image, environment: Readonly<Record<string, string>>, url: string): Promise<Container> {
    const logFile = join(image.folder, '..', 'container.log')
    writeFileSync(logFile, '')
    const [uid = '', gid = ''] = image.user.split(':')
    const variables = { ...image.environment, ...environment }
    const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
    const process = await ServerProcess.start({
      name: 'The container',
      program: 'unshare',
      packageName: 'util-linux',
      args: [...UNSHARE, image.folder, uid, gid, 'env', '-i', ...assignments, ...image.command],
      logFile,
      isReady: async () => {
        try {
          return (await fetch(`${url}/health/ready`)).ok
        } catch {
          // It does not listen yet.
          return false
        }
      },
    })
    return new Container(image, { process, logFile, environment: variables })
  }

  /** The id of its first process on this machine. */
  get pid(): number {
    const [pid = ''] = readFileSync(`/proc/${this.#process.pid}/task/${this.#process.pid}/children`, 'utf8').split(' ')
    return Number(pid)
  }

  get log(): string {
    return readFileSync(this.#logFile, 'utf8')
  }

  /** A line of `/proc/PID/status`. */
  status(field: string): string {
    const text = readFileSync(`/proc/${this.pid}/status`, 'utf8')
    return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(text)?.[1] ?? ''
  }

  /** Runs a command inside, as a health check or `docker exec` does. */
  run(command: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<ProgramResult> {
    const [uid = '', gid = ''] = this.#image.user.split(':')
    const assignments = Object.entries({ ...this.#environment, ...more }).map(([name, value]) => `${name}=${value}`)
    return runProgram('nsenter', [
      `--target=${this.pid}`,
      ...NSENTER,
      `--setuid=${uid}`,
      `--setgid=${gid}`,
      '--',
      'env',
      '-i',
      ...assignments,
      ...command,
    ])
  }

  /** Sends SIGTERM to the first process, as `docker stop` does, and waits for its end. */
  async stop(): Promise<void> {
    process.kill(this.pid, 'SIGTERM')
    await eventually('the container has ended', () => !this.#process.isRunning, { timeoutMs: 30_000 })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill('SIGKILL')
  }
}
