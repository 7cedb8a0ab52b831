/** Encodes a text as Java's String.getBytes does: an unpaired surrogate becomes a question mark. */
export function textBytes(text: string, encoding: 'utf8' | 'latin1' | 'ascii'): Buffer {
  const unpaired = encoding === 'utf8' ? /\p{Surrogate}/gu : encoding === 'latin1' ? /[^\0-\xff]/gu : /[^\0-\x7f]/gu
  return Buffer.from(text.replace(unpaired, '?'), encoding === 'utf8' ? 'utf8' : 'latin1')
}
