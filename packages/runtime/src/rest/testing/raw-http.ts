import { connect } from 'node:net'

export interface RawRequest {
  readonly method: string
  /** Written to the request line without any encoding. */
  readonly target: string
  /** Added to Host, `Connection: close` and, with a body, Content-Length; the same name replaces one of these. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
}

export interface RawAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Sends a request on a connection of its own, byte for byte, including what an HTTP client would refuse to send. */
export async function sendRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  const { method, target, body } = request
  const defaults = { Host: `127.0.0.1:${port}`, Connection: 'close' }
  const length =
    body === undefined || 'Transfer-Encoding' in (request.headers ?? {}) ? {} : { 'Content-Length': `${body.length}` }
  const headers = Object.entries<string>({ ...defaults, ...length, ...request.headers })
  const head = [`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), '', '']
  return parseAnswer(await exchange(port, Buffer.concat([Buffer.from(head.join('\r\n')), body ?? Buffer.alloc(0)])))
}

/** Writes bytes and reads the answer until the server closes the connection. */
export function exchange(port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1')
    // The server may close the connection before it has read all bytes; its answer is complete all the same.
    const finish = (error?: Error): void => {
      if (chunks.length === 0) reject(error ?? new Error('the connection was closed without an answer'))
      else resolve(Buffer.concat(chunks))
    }
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', finish)
    socket.on('close', () => finish())
    socket.write(bytes)
  })
}

/** Parses the final answer. Interim answers (100 Continue) may precede it. */
export function parseAnswer(bytes: Buffer): RawAnswer {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const rest = bytes.subarray(headEnd + 4)
  if (status < 200) return parseAnswer(rest)
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  return { status, headers, body: rest.toString() }
}
