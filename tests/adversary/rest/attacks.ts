import { once } from 'node:events'
import { request, type RequestOptions } from 'node:http'
import { connect, type Socket } from 'node:net'

/** What an attack reaches the worker with, and until when. */
export interface Target {
  readonly port: number
  /** Fires when the attack has lasted long enough. */
  readonly signal: AbortSignal
}

export interface Attack {
  readonly name: string
  /** Attacks until the signal fires. Returns how often each status was answered; `cut`: a connection was closed. */
  readonly run: (target: Target) => Promise<ReadonlyMap<string, number>>
}

const MIB = 2 ** 20

/** Counts outcomes. */
class Outcomes {
  readonly counts = new Map<string, number>()

  add(outcome: string): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1)
  }
}

/** Sends a request and reads the answer. Returns its status, or `cut` when there is none. */
function send({ port, signal }: Target, options: RequestOptions, body: Buffer | null): Promise<string> {
  return new Promise((resolve) => {
    const headers = { 'Content-Type': 'application/json', ...(body === null ? {} : { 'Content-Length': body.length }) }
    const sent = request({ host: '127.0.0.1', port, agent: false, signal, headers, ...options }, (answer) => {
      answer.resume()
      answer.on('close', () => resolve(String(answer.statusCode)))
    })
    sent.on('error', () => resolve('cut'))
    sent.end(body ?? undefined)
  })
}

/** Clients that send the same request again and again. */
function posting(name: string, clients: number, options: RequestOptions, body: () => Buffer): Attack {
  return {
    name,
    async run(target) {
      const outcomes = new Outcomes()
      const bytes = body()
      const client = async (): Promise<void> => {
        while (!target.signal.aborted) {
          const outcome = await send(target, options, bytes)
          if (!target.signal.aborted) outcomes.add(outcome)
        }
      }
      await Promise.all(Array.from({ length: clients }, client))
      return outcomes.counts
    },
  }
}

/** Connections that send bytes as `feed` does, and are opened again when the worker closes them. */
function connections(name: string, count: number, feed: (socket: Socket) => void): Attack {
  return {
    name,
    async run({ port, signal }) {
      const outcomes = new Outcomes()
      const sockets = new Set<Socket>()
      const open = (): void => {
        const socket = connect({ host: '127.0.0.1', port })
        sockets.add(socket)
        socket.on('error', () => undefined)
        socket.on('connect', () => {
          outcomes.add('opened')
          feed(socket)
        })
        socket.resume()
        socket.on('close', () => {
          sockets.delete(socket)
          if (signal.aborted) return
          outcomes.add('cut')
          setTimeout(() => signal.aborted || open(), 1000)
        })
      }
      for (let n = 0; n < count; n += 1) open()
      await once(signal, 'abort')
      for (const socket of sockets) socket.destroy()
      return outcomes.counts
    },
  }
}

/** Sends a head, then a part of it at each interval. */
function dripping(head: string, part: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(head)
    const timer = setInterval(() => socket.write(part), 1000)
    socket.on('close', () => clearInterval(timer))
  }
}

/** Writes whatever the worker reads. */
function pipelining(requests: string): (socket: Socket) => void {
  return (socket) => {
    const more = (): void => {
      while (!socket.destroyed && socket.write(requests));
    }
    socket.on('drain', more)
    more()
  }
}

const VALIDATE = { method: 'PUT', path: '/connector-plugins/MySqlConnector/config/validate' }
const REGISTER = { method: 'POST', path: '/connectors' }

function keys(count: number, more: string): Buffer {
  const members = Array.from({ length: count }, (_, i) => `"property.${i}":"${more}"`)
  return Buffer.from(`{"connector.class":"MySqlConnector",${members.join(',')}}`)
}

function nested(depth: number): Buffer {
  return Buffer.from(`{"name":"n","config":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`)
}

const GET = 'GET /connectors HTTP/1.1\r\nHost: localhost\r\n\r\n'
const HALF =
  'POST /connectors HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n'

/** Requests that are costly to read or to check. */
export const costlyRequests: readonly Attack[] = [
  posting('50 MB with 2.5 million keys', 1, VALIDATE, () => keys(2_500_000, 'x')),
  posting('1,000,000 levels', 4, REGISTER, () => nested(1_000_000)),
  posting('a name of 1 MB', 4, REGISTER, () =>
    Buffer.from(JSON.stringify({ name: 'n'.repeat(MIB), config: { 'connector.class': 'MySqlConnector' } })),
  ),
  posting('a value of 8 MB', 4, VALIDATE, () =>
    Buffer.from(JSON.stringify({ 'connector.class': 'MySqlConnector', x: 'y\\'.repeat(2 * MIB - 100) })),
  ),
  posting('10,000 keys', 4, VALIDATE, () => keys(9_900, 'x'.repeat(100))),
]

/** Many clients at once. */
export const manyClients: readonly Attack[] = [
  connections('1,000 half-open connections', 1000, () => undefined),
  connections('5,000 half-open connections', 5000, () => undefined),
  connections('1,000 slow headers', 1000, dripping('GET / HTTP/1.1\r\n', 'X: y\r\n')),
  connections('1,000 slow bodies', 1000, dripping(`${HALF}\r\n{"name":"`, 'x')),
  posting('100 clients, bodies of 8 MiB', 100, REGISTER, () => Buffer.alloc(8 * MIB, ' ')),
  posting('100 clients, headers of 64 KB', 100, { path: '/', headers: { 'X-Long': 'x'.repeat(65_000) } }, () =>
    Buffer.alloc(0),
  ),
  connections('50 clients, pipelined requests', 50, pipelining(GET.repeat(1000))),
]

/** What one client could do to keep a worker from answering others. */
export const attacks: readonly Attack[] = [...costlyRequests, ...manyClients]
