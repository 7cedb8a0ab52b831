/**
 * Rewrites an error of the connector, which names its properties, for a user who gave a URL: names the parts of the URL
 * instead.
 */
export function inUrlTerms(text: string): string {
  return text
    .replaceAll('database.hostname and database.port', 'the host and the port in the URL')
    .replaceAll('database.user and database.password', 'the user in the URL and the password')
    .replaceAll('(using password: NO)', NO_PASSWORD)
}

const NO_PASSWORD = '(using password: NO; to use one, put it into the URL, the file of --password-file, or MYSQL_PWD)'
