/** One PEM block, of these bytes. */
export function pemOf(label: string, der: Buffer): string {
  return block(label, der.toString('base64'))
}

/**
 * The PEM blocks of a text with their lines as OpenSSL expects them. Java accepts any white space between the words and
 * the base64 text, so properties files often contain a certificate in one line. Other text stays.
 */
export function normalizedPem(text: string): string {
  return text.replaceAll(BLOCK, (whole: string, label: string, body: string, endLabel: string) =>
    label === endLabel ? block(label, body.replaceAll(/\s+/g, '')) : whole,
  )
}

const LINE_LENGTH = 64
const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----([A-Za-z0-9+/=\s]*)-----END ([A-Z0-9 ]{1,40})-----\n?/g

function block(label: string, base64: string): string {
  const lines = base64.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? []
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n')
}
