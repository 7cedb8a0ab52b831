import type { MetricsFormat } from './exposition.ts'

const OPEN = 'application/openmetrics-text'
/** What a client accepts that is content with either. Prometheus itself ranks OpenMetrics higher. */
const TEXTS: ReadonlySet<string> = new Set(['text/plain', 'text/*', '*/*'])

/**
 * The format that an Accept header asks for (RFC 9110, 12.5.1): OpenMetrics in its version 1 if it is ranked at least
 * as high as plain text, otherwise the text format of Prometheus, which every reader of metrics understands.
 */
export function acceptedFormat(accept: string | undefined): MetricsFormat {
  let open = 0
  let text = 0
  for (const range of (accept ?? '').split(',').slice(0, RANGES_MAX)) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = qualityOf(parameters)
    if (type === OPEN && !parameters.includes('version=0.0.1')) open = Math.max(open, quality)
    else if (TEXTS.has(type)) text = Math.max(text, quality)
  }
  return open > 0 && open >= text ? 'openmetrics' : 'prometheus'
}

function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
  const quality = text === undefined ? 1 : Number(text)
  return quality >= 0 && quality <= 1 ? quality : 0
}

/** Prometheus sends four. */
const RANGES_MAX = 32
