/**
 * The errors and the reference page of the command line, for generated documentation. The `tributary` command is
 * main.ts.
 *
 *     for (const [code, { message, action }] of Object.entries(cliErrors.definitions)) …
 */
export { cliErrors } from './errors.ts'
export { renderCommandReference } from './reference.ts'
