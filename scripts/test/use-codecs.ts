/** Loaded with each test file: the packages import the bundle of build-codecs.ts in place of @platformatic/kafka. */
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

const { TRIBUTARY_TEST_CODECS: path = '' } = process.env

if (path !== '') {
  const url = pathToFileURL(path).href
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === '@platformatic/kafka' && (context.parentURL ?? '').includes('/packages/')
        ? { url, shortCircuit: true }
        : next(specifier, context),
  })
}
