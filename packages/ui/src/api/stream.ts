import { messageOf } from './client.ts'
import { storedLogin } from './login.ts'

export interface StreamHandler {
  /** A message, parsed. */
  readonly onMessage: (message: unknown) => void
  /**
   * The connection ended or could not be made; it is tried again unless the handler closes it. `status`: of the answer,
   * 0 without one; `message`: why the worker refused, otherwise empty.
   */
  readonly onLost: (status: number, message: string) => void
}

const PAUSE_MS = 1_000
const PAUSE_MAX_MS = 10_000
/** Longer than two heartbeats of the worker: a connection that is silent for that long is dead. */
const SILENCE_MS = 40_000

/**
 * Reads a stream of server-sent events until it is closed, and connects again whenever it ends. Unlike EventSource it
 * sends the login, and reports the status of a refusal. It has no connection while the tab is hidden: the worker limits
 * the number of streams, and tabs are left open.
 */
export function openStream(path: string, handler: StreamHandler): { readonly close: () => void } {
  const closed = new AbortController()
  void run(path, handler, closed.signal)
  return { close: () => closed.abort() }
}

async function run(path: string, handler: StreamHandler, closed: AbortSignal): Promise<void> {
  let pauseMs = PAUSE_MS
  while (!closed.aborted) {
    await untilVisible(closed)
    if (closed.aborted) return
    const { status, message: reason } = await read(path, closed, (message) => {
      pauseMs = PAUSE_MS
      handler.onMessage(message)
    })
    if (closed.aborted) return
    if (document.hidden) continue
    handler.onLost(status, reason)
    await sleep(pauseMs, closed)
    pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
  }
}

/** Reads one connection to its end. */
async function read(path: string, closed: AbortSignal, onMessage: (message: unknown) => void): Promise<Ended> {
  const connection = new AbortController()
  const abort = (): void => connection.abort()
  const abortHidden = (): void => {
    if (document.hidden) abort()
  }
  closed.addEventListener('abort', abort)
  document.addEventListener('visibilitychange', abortHidden)
  let silence = setTimeout(abort, SILENCE_MS)
  let status = 0
  try {
    const login = storedLogin()
    const headers = login === null ? {} : { Authorization: login }
    const answer = await fetch(path, { headers, cache: 'no-store', credentials: 'omit', signal: connection.signal })
    status = answer.status
    if (!answer.ok || answer.body === null) return { status, message: messageOf(status, await answer.text()) }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
    let pending = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { status, message: '' }
      clearTimeout(silence)
      silence = setTimeout(abort, SILENCE_MS)
      const frames = (pending + value).split('\n\n')
      pending = frames.pop() ?? ''
      for (const frame of frames) if (frame.startsWith('data: ')) onMessage(JSON.parse(frame.slice(6)) as unknown)
    }
  } catch {
    return { status, message: '' }
  } finally {
    clearTimeout(silence)
    closed.removeEventListener('abort', abort)
    document.removeEventListener('visibilitychange', abortHidden)
    connection.abort()
  }
}

interface Ended {
  readonly status: number
  readonly message: string
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden && !signal.aborted) return
      document.removeEventListener('visibilitychange', check)
      signal.removeEventListener('abort', check)
      resolve()
    }
    document.addEventListener('visibilitychange', check)
    signal.addEventListener('abort', check)
    check()
  })
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
