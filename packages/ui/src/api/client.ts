import { storedLogin } from './login.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The worker refused a request, or could not be reached (status 0). The message is the worker's. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'ApiError'
    this.status = status
  }
}

/** Sends a request to the REST interface. The page is one level below it, under whatever path a proxy uses. */
export async function request(method: Method, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> {
  let answer: Response
  try {
    answer = await fetch(`..${path}`, {
      method,
      headers: headersOf(method),
      body: body === undefined ? null : JSON.stringify(body),
      cache: 'no-store',
      credentials: 'omit',
      signal: signal ?? null,
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ApiError(0, 'The worker does not answer. It may be stopped, or the connection to it is interrupted.')
  }
  const text = await answer.text()
  if (!answer.ok) throw new ApiError(answer.status, messageOf(answer.status, text))
  return text === '' ? null : (JSON.parse(text) as unknown)
}

/** The worker accepts changes of pages only as JSON, also without a body. */
export function headersOf(method: Method): Record<string, string> {
  const login = storedLogin()
  return {
    Accept: 'application/json',
    ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
    ...(login === null ? {} : { Authorization: login }),
  }
}

/** The worker's own words, if the text has them. */
export function messageOf(status: number, text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string' && message !== '') return message
  } catch {
    // Not an error document: that of a proxy, or the refusal of a login.
  }
  return text.length > 0 && text.length < 200 && !text.includes('<')
    ? text
    : `The worker answers with status ${status}.`
}

/** The path of a connector, encoded. */
export function connectorPath(name: string): string {
  return `/connectors/${encodeURIComponent(name)}`
}
