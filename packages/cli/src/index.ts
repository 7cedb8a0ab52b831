/**
 * What others may know of the command line. The `tributary` command itself is main.ts.
 *
 *     for (const [code, { message, action }] of Object.entries(cliErrors.definitions)) …
 */
export { cliErrors } from './errors.ts'
export { renderCommandReference } from './reference.ts'
