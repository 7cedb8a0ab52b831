/**
 * Errors of the connector name its properties. Somebody who gave a URL knows none of them: says the same in terms of the
 * URL.
 */
export function inUrlTerms(text: string): string {
  return text
    .replaceAll('database.hostname and database.port', 'the host and the port in the URL')
    .replaceAll('database.user and database.password', 'the user in the URL and the password')
}
