import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toError, type Logger } from '@tributary/support'
import { HerderError } from '../../herder/herder-error.ts'
import { protocolMessage, sendError } from '../error-answer.ts'
import { refuseTarget } from '../http/request-target.ts'
import { RequestError } from '../request-error.ts'
import { toRequestError } from '../rest-errors.ts'
import { readRequest } from '../send-answer.ts'
import type { EventStreams } from './event-streams.ts'
import type { PageFile, PageFiles } from './page-files.ts'
import type { EventsOptions, MessageSource, PageOptions, Refusal } from './page-options.ts'

/** No script, style or address that is not of this server; no script in the document itself; no frame around it. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

const PAGE_HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** Whether a path is of a file of the page. Everybody may read them: they are the same everywhere, and have the login. */
export function isPageFile(path: string): boolean {
  return path === '/ui' || path.startsWith('/ui/assets/')
}

/** The page: its files, and the streams that keep it up to date. Everything else it reads from Kafka Connect's paths. */
export function addPageScope(
  scope: FastifyInstance,
  page: PageOptions,
  { streams, logger }: { readonly streams: EventStreams; readonly logger: Logger },
): void {
  const files = new CompressedFiles(page.loadFiles)
  scope.addHook('preClose', async () => streams.close())
  scope.addHook('onRequest', async ({ method, originalUrl, headers }, reply) => {
    reply.headers(PAGE_HEADERS)
    const refusal = refuseTarget({ method, target: originalUrl, host: headers.host })
    return refusal === null ? undefined : sendError(asJson(reply), 400, refusal)
  })
  scope.get('/ui', async (request, reply) => {
    const [path = ''] = request.originalUrl.split(/[?#]/, 1)
    // The addresses in the page are relative to /ui/, so that it works under any path of a proxy.
    if (!path.endsWith('/')) return reply.code(302).header('location', 'ui/').send()
    return sendFile(request, reply, { files, logger, path: 'index.html' })
  })
  scope.get('/ui/assets/:file', async (request, reply) => {
    const { file } = request.params as { readonly file: string }
    return sendFile(request, reply, { files, logger, path: `assets/${file}` })
  })
  scope.get('/ui/live', async (request, reply) => openStream(streams, page.live, request, reply))
  scope.get('/ui/log', async (request, reply) => openStream(streams, page.log, request, reply))
  scope.get('/ui/events', async (request, reply) => openEvents(streams, page.events, request, reply))
}

/** Records are data of users, which not everybody who may see the state of a connector may see. */
function openEvents(
  streams: EventStreams,
  { roles, open }: EventsOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  if (!roles.has(request.role)) {
    const message = 'You may not read the records of topics: the setting ui.events of the worker decides who may'
    return sendError(asJson(reply), 403, message)
  }
  const { query } = readRequest(request)
  const source = opened(() =>
    open({
      connector: query.get('connector') ?? '',
      topic: query.get('topic') ?? '',
      scanLength: Number(query.get('scan') ?? '100'),
      filter: query.get('filter') ?? '',
    }),
  )
  if ('status' in source) return sendError(asJson(reply), source.status, source.message)
  return openStream(streams, source, request, reply)
}

/** The worker may be starting, and a connector may be deleted meanwhile. */
function opened(open: () => MessageSource | Refusal): MessageSource | Refusal {
  try {
    return open()
  } catch (error) {
    if (error instanceof RequestError) return error
    if (error instanceof HerderError) return toRequestError(error)
    throw error
  }
}

function openStream(
  streams: EventStreams,
  source: MessageSource,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  if (request.method === 'HEAD') return reply.header('content-type', 'text/event-stream; charset=utf-8').send()
  // A page of another site could not read it, but use up the number of streams.
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') {
    return sendError(asJson(reply), 403, 'Only the page itself may open this stream')
  }
  if (streams.isFull) return sendError(asJson(reply), 503, 'Too many pages are open. Close some and reload this one')
  reply.hijack()
  streams.open(reply.raw, source, request.role)
  return reply
}

interface FileRequest {
  readonly files: CompressedFiles
  readonly logger: Logger
  readonly path: string
}

async function sendFile(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { files, logger, path }: FileRequest,
): Promise<FastifyReply> {
  let file: CompressedFile | null
  try {
    file = await files.find(path)
  } catch (error) {
    logger.error('The files of the page cannot be loaded', { error: toError(error) })
    // Not the reason: everybody may request these files, and it has paths of the installation.
    return sendError(asJson(reply), 500, 'The page cannot be loaded; the log has the reason')
  }
  if (file === null) return sendError(asJson(reply), 404, protocolMessage(404))
  // The names of assets contain a digest of their contents.
  reply.header('cache-control', path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
  reply.header('content-type', file.type).header('vary', 'accept-encoding')
  const isGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
  return isGzip ? reply.header('content-encoding', 'gzip').send(file.compressed) : reply.send(file.bytes)
}

interface CompressedFile extends PageFile {
  readonly compressed: Buffer
}

/** The files of the page, loaded and compressed when one is first requested. */
class CompressedFiles {
  readonly #load: () => Promise<PageFiles>
  #files: Promise<ReadonlyMap<string, CompressedFile>> | null = null

  constructor(load: () => Promise<PageFiles>) {
    this.#load = load
  }

  /** Null when there is no such file. */
  async find(path: string): Promise<CompressedFile | null> {
    this.#files ??= this.#compress()
    try {
      return (await this.#files).get(path) ?? null
    } catch (error) {
      this.#files = null
      throw error
    }
  }

  async #compress(): Promise<ReadonlyMap<string, CompressedFile>> {
    const files = [...(await this.#load())]
    return new Map(files.map(([path, file]) => [path, { ...file, compressed: gzipSync(file.bytes, { level: 9 }) }]))
  }
}

function asJson(reply: FastifyReply): FastifyReply {
  return reply.header('content-type', 'application/json')
}
