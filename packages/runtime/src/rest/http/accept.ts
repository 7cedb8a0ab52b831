import { HeaderReader } from './header-reader.ts'
import { formatMediaType, isCompatible, readMediaType } from './media-type.ts'
import type { MediaType } from './media-type.ts'

const json = 'application/json'
const plain = 'text/plain'

/**
 * The media types that a client accepts, best first: by quality, then the more specific, then as given. As with Jersey,
 * a quality of zero refuses nothing. Null where the header is malformed.
 */
export function parseAccept(header: string | undefined): readonly MediaType[] | null {
  const reader = new HeaderReader(header ?? '')
  if (reader.isAtEnd()) return [{ type: '*', subtype: '*', parameters: new Map() }]
  const ranges: { readonly range: MediaType; readonly quality: number }[] = []
  do {
    const range = readMediaType(reader)
    const quality = qualityOf(range)
    if (range === null || quality === null) return null
    const parameters = new Map(range.parameters)
    parameters.delete('q')
    ranges.push({ range: { ...range, subtype: range.subtype === '' ? '*' : range.subtype, parameters }, quality })
  } while (reader.accept(',') && !reader.isAtEnd())
  if (!reader.isAtEnd()) return null
  ranges.sort((a, b) => b.quality - a.quality || specificityOf(b.range) - specificityOf(a.range))
  return ranges.map(({ range }) => range)
}

/** The Content-Type of a JSON answer: with the parameters of the range that asked for it. Null when none does. */
export function chooseJson(accepted: readonly MediaType[]): string | null {
  const range = accepted.find((candidate) => isCompatible(candidate, 'application', 'json'))
  if (range === undefined) return null
  return range.type === '*' || range.subtype === '*' ? json : formatMediaType(range)
}

/**
 * The Content-Type of the answer to OPTIONS: plain text with the methods, where that is the best that is accepted; else an
 * empty body of whatever was asked for.
 */
export function chooseOptions(accepted: readonly MediaType[]): string {
  const [best] = accepted
  return best === undefined || isCompatible(best, 'text', 'plain') ? plain : formatMediaType(best)
}

/** Null where it is no number from 0 to 1. */
function qualityOf(range: MediaType | null): number | null {
  const text = range?.parameters.get('q') ?? '1'
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(text) ? Number(text) : null
}

function specificityOf(range: MediaType): number {
  if (range.type === '*' && range.subtype === '*') return 0
  return range.type === '*' || range.subtype === '*' ? 1 : 2
}
