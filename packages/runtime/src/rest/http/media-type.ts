import { HeaderReader } from './header-reader.ts'

/** A media type or range. Names are in lower case. */
export interface MediaType {
  readonly type: string
  readonly subtype: string
  /** In the order of the header. */
  readonly parameters: ReadonlyMap<string, string>
}

/** The media type in a Content-Type header. Null when it is malformed. */
export function parseContentType(header: string): MediaType | null {
  const reader = new HeaderReader(header)
  const mediaType = readMediaType(reader)
  return mediaType === null || mediaType.subtype === '' || !reader.isAtEnd() ? null : mediaType
}

/**
 * Reads a media type or range. Its subtype is `''` when the header has only a type. Null when it is malformed.
 *
 *     media-type = token [ "/" token ] *( ";" [ token "=" ( token / quoted-string ) ] )
 */
export function readMediaType(reader: HeaderReader): MediaType | null {
  const type = reader.token()
  const subtype = reader.accept('/') ? reader.token() : ''
  if (type === null || subtype === null) return null
  const parameters = new Map<string, string>()
  while (reader.accept(';')) {
    const name = reader.token()
    if (name === null) continue
    const value = reader.accept('=') ? reader.tokenOrQuoted() : null
    if (value === null) return null
    parameters.set(name.toLowerCase(), value)
  }
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters }
}

/** Whether a range includes the media type. A wildcard in type or subtype matches anything. */
export function isCompatible(range: MediaType, type: string, subtype: string): boolean {
  return (range.type === '*' || range.type === type) && (range.subtype === '*' || range.subtype === subtype)
}

export function formatMediaType({ type, subtype, parameters }: MediaType): string {
  let text = `${type}/${subtype}`
  for (const [name, value] of parameters) text += `;${name}=${isToken(value) ? value : quote(value)}`
  return text
}

function isToken(value: string): boolean {
  const reader = new HeaderReader(value)
  return reader.token() === value
}

function quote(value: string): string {
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
