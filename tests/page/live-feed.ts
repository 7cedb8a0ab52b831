/** The page without a worker: a server with its files, whose messages and answers a test chooses. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConnectorSample, LiveStart, LiveUpdate } from '@tributary/rest-api'
import { buildPage } from '../../packages/ui/scripts/build-page.ts'

/** Answers a request that is not for a file or `/ui/live`. False: the default, which fits no view. */
export type Answer = (path: string, response: ServerResponse) => boolean

export interface LiveServer extends AsyncDisposable {
  readonly url: string
  answer: Answer
  /** Whether `/ui/live` answers; otherwise it stays silent, as when a worker is very busy. */
  isLive: boolean
  /** Sends a message to every page, and waits until it is written. */
  readonly send: (update: LiveUpdate) => Promise<void>
}

export async function startLiveServer(answer: Answer = () => false): Promise<LiveServer> {
  const files = await buildPage()
  const streams = new Set<ServerResponse>()
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const [address = '/'] = (request.url ?? '/').split('?')
    const path = address.replace(/^\/ui\//, '')
    const file = files.get(path === '' ? 'index.html' : path)
    if (file !== undefined) {
      response.writeHead(200, { 'Content-Type': file.type }).end(file.bytes)
    } else if (path === 'live') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(server.isLive ? frame(startMessage()) : ': \n\n')
      streams.add(response)
      response.once('close', () => streams.delete(response))
    } else if (!server.answer(request.url ?? '/', response)) {
      json(response, 404, { error_code: 404, message: 'There is nothing' })
    }
  }
  const http = createServer(handle)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const server: LiveServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    answer,
    isLive: true,
    send: async (update) => {
      const text = frame(update)
      for (const stream of streams) if (!stream.write(text)) await once(stream, 'drain')
    },
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return server
}

export function json(response: ServerResponse, status: number, document: unknown): true {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
  return true
}

function frame(message: unknown): string {
  return `data: ${JSON.stringify(message)}\n\n`
}

const START_MS = 1_790_000_000_000

/** The message after that many intervals, with numbers that always differ. */
export function updateMessage(count: number, name = 'shop'): LiveUpdate {
  const ms = START_MS + count * 2_000
  const rates = [97, 89, 83, 79, 73, 71, 67, 61, 59, 53, 47, 43].map((prime) => count % prime)
  const sample = [ms, ...rates] as unknown as ConnectorSample
  const connector = { name, className: 'MySqlConnector', state: 'RUNNING' as const, trace: null }
  return {
    tag: 'update',
    health: { status: 'healthy', message: '' },
    worker: [ms, 100_000_000, 0.1, 1],
    connectors: [
      {
        ...connector,
        tasks: [{ id: 0, state: 'RUNNING', trace: null }],
        counters: { 'records.sent': count * 10 },
        lastLagMs: 5,
        lastRecordMs: ms,
        timeToLoss: { status: 'ok', seconds: 86_400, running_out: false },
        sample,
      },
    ],
    changes: [],
    notifications: [],
  }
}

function startMessage(): LiveStart {
  const update = updateMessage(1)
  const [first] = updateMessage(0).connectors
  const [second] = update.connectors
  const samples = [first, second].flatMap((each) => (each === undefined ? [] : [each.sample]))
  return {
    tag: 'start',
    version: 'x',
    startedMs: START_MS,
    access: 'full',
    mayReadEvents: true,
    worker: [],
    connectors: { shop: { samples, changes: [], notifications: [] } },
    update,
  }
}
