import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { eventually, temporaryFolder, type TemporaryFolder } from '@tributary/testkit'

/** A message that arrived at the socket, with its fields (`READY=1`). */
export interface Notice {
  /** Milliseconds by the clock of `performance.now()`. */
  readonly atMs: number
  readonly fields: readonly string[]
}

/**
 * What systemd does at its end: it binds a socket for datagrams and reads. Python, because Node has no such sockets. A
 * descriptor that comes with BARRIER=1 is closed, which releases the sender.
 */
const RECEIVER = `
import array, json, os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print(json.dumps(["bound"]), flush=True)
while True:
    data, ancillary, _, _ = receiver.recvmsg(65536, 1024)
    for level, kind, content in ancillary:
        for descriptor in array.array("i", content[:len(content) - len(content) % 4]):
            os.close(descriptor)
    print(json.dumps(data.decode().split("\\n")), flush=True)
`

/** A socket that takes the place of systemd's; its path is for NOTIFY_SOCKET. */
export class NotifySocket implements AsyncDisposable {
  readonly path: string
  readonly notices: Notice[] = []
  readonly #folder: TemporaryFolder
  readonly #receiver: ChildProcessByStdio<null, Readable, null>

  private constructor() {
    this.#folder = temporaryFolder('notify')
    this.path = join(this.#folder.path, 'socket')
    this.#receiver = spawn('python3', ['-c', RECEIVER, this.path], { stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: this.#receiver.stdout }).on('line', (line) => {
      this.notices.push({ atMs: performance.now(), fields: JSON.parse(line) as readonly string[] })
    })
  }

  static async open(): Promise<NotifySocket> {
    const socket = new NotifySocket()
    await socket.arrival('bound')
    return socket
  }

  /** Waits for a field after the first `from` messages, and returns the number of messages up to it. */
  arrival(field: string | RegExp, from = 0): Promise<number> {
    const matches = (each: string): boolean => (typeof field === 'string' ? each === field : field.test(each))
    return eventually(
      `systemd gets ${String(field)}`,
      () => {
        const index = this.notices.findIndex(({ fields }, i) => i >= from && fields.some(matches))
        return index === -1 ? false : index + 1
      },
      { timeoutMs: 60_000 },
    )
  }

  /** When the messages with the field arrived. */
  times(field: string): readonly number[] {
    return this.notices.filter(({ fields }) => fields.includes(field)).map(({ atMs }) => atMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#receiver.kill('SIGKILL')
    await this.#folder[Symbol.asyncDispose]()
  }
}
