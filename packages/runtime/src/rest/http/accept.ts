import { HeaderReader } from './header-reader.ts'
import { formatMediaType, isCompatible, readMediaType } from './media-type.ts'
import type { MediaType } from './media-type.ts'

const json = 'application/json'
const plain = 'text/plain'

/**
 * The media types that a client accepts, the best first: by quality, then by specificity, then in the order of the
 * header. As in Jersey, a type of quality zero is accepted. Null when the header is malformed.
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

/** The Content-Type of a JSON answer, with the parameters of the range that accepts it. Null when no range does. */
export function chooseJson(accepted: readonly MediaType[]): string | null {
  const range = accepted.find((candidate) => isCompatible(candidate, 'application', 'json'))
  if (range === undefined) return null
  return range.type === '*' || range.subtype === '*' ? json : formatMediaType(range)
}

/**
 * The Content-Type of the answer to OPTIONS: plain text, which lists the methods, when that is the best accepted type;
 * otherwise the best accepted type, with an empty body.
 */
export function chooseOptions(accepted: readonly MediaType[]): string {
  const [best] = accepted
  return best === undefined || isCompatible(best, 'text', 'plain') ? plain : formatMediaType(best)
}

/** The quality of a range. Null when it is not a number from 0 to 1. */
function qualityOf(range: MediaType | null): number | null {
  const text = range?.parameters.get('q') ?? '1'
  return /^(?:0(?:\.\d*)?|1(?:\.0*)?)$/.test(text) ? Number(text) : null
}

function specificityOf(range: MediaType): number {
  if (range.type === '*' && range.subtype === '*') return 0
  return range.type === '*' || range.subtype === '*' ? 1 : 2
}
