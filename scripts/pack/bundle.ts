import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { buildPage } from '../../packages/ui/scripts/build-page.ts'
import { leanPlugins } from './lean-plugins.ts'

/** The oldest Node that runs the bundle. The bundler rewrites newer syntax. */
const TARGET = 'node22.2'

export interface BundleOptions {
  /** The workspace. */
  readonly root: string
  readonly outFolder: string
  /** The commit of the build, for `GET /`. */
  readonly commit: string
  /** How a user calls the program. Default `tributary`. */
  readonly command?: string
}

/**
 * Addons that npm has installed for this machine. On machines without a matching addon, the package uses WebAssembly
 * and zlib.
 */
export const ADDONS = 'node_modules/@node-rs/crc32-*/*.node'

/** Paths of the modules in a bundle, relative to the workspace. */
export type BundledFiles = readonly string[]

/**
 * Bundles the program: `main.js` (the command line), `thread.js` (the entry of the threads of a worker),
 * `watchdog-thread.js`, `broker-thread.js` and their chunks, all in one folder, so that each command loads only the code that it needs. The
 * entries share no chunk: in a common build, everything that a package's index exports would be shared, and a task's thread would load the REST
 * interface. Threads do not share code in memory anyway.
 *
 * The bundle is not minified, so that traces contain the function names of the sources. There are no source maps: they
 * would be twice as large as the program, and each trace would have to load them.
 */
export async function bundle(options: BundleOptions): Promise<BundledFiles> {
  const files = new Set<string>()
  for (const entry of ENTRIES) {
    for (const file of await bundleEntry(entry, options)) files.add(file)
  }
  for (const [name, seldomUsed] of Object.entries(SELDOM_USED)) {
    for (const file of await bundleLibrary(name, seldomUsed, options)) files.add(file)
  }
  return [...files]
}

async function bundleLibrary(
  name: string,
  { library, importer }: SeldomUsed,
  { root, outFolder }: BundleOptions,
): Promise<BundledFiles> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    stdin: {
      contents: `module.exports = require(${JSON.stringify(library)})`,
      resolveDir: join(root, importer),
    },
    outfile: join(outFolder, name),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: TARGET,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  for (const { path, text } of outputFiles) await writeFile(path, asciiComments(path, text))
  return bundledFiles(metafile)
}

/**
 * Bundled as a file of its own: both entries load it when they connect to a database, and it is a fifth of the package.
 */
const DRIVER = 'mysql2'

const ENTRIES: readonly string[] = [
  'packages/cli/src/main.ts',
  'packages/cli/src/assembly/thread.ts',
  'packages/cli/src/process/watchdog-thread.ts',
  'packages/cli/src/dev-broker/broker-thread.ts',
  DRIVER,
]

/**
 * Libraries that few workers use, as CommonJS files of their own: within a chunk, each thread would hold their text.
 * By the name of the file.
 */
const SELDOM_USED: Readonly<Record<string, SeldomUsed>> = {
  're2js.cjs': { library: 're2js', importer: 'packages/support' },
  'wasm-utils.cjs': { library: '@platformatic/wasm-utils/bundled', importer: 'node_modules/@platformatic/kafka' },
}

interface SeldomUsed {
  readonly library: string
  /** The folder of the package that imports it, whose version it is. */
  readonly importer: string
}

async function bundleEntry(
  entry: string,
  { root, outFolder, commit, command = 'tributary' }: BundleOptions,
): Promise<BundledFiles> {
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { [basename(entry, '.ts')]: entry },
    outdir: outFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: TARGET,
    banner: { js: REQUIRE },
    inject: [join(root, 'scripts/pack/async-disposable-stack.ts')],
    plugins: [replaced(root, buildModule(commit, command)), sharedDriver, ...leanPlugins],
    // All licences are in a file of their own, see licences.ts.
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  await mkdir(outFolder, { recursive: true })
  for (const { path, text } of outputFiles) await writeFile(path, asciiComments(path, text))
  return bundledFiles(metafile)
}

function bundledFiles({ outputs }: Metafile): BundledFiles {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
}

/**
 * Replaces non-ASCII characters in comments. A single one makes V8 store the text of the whole file with two bytes per
 * character, in each thread: 6 MB of a service. esbuild escapes them in strings and names, but not in comments of class
 * members. Throws for one in code (a regular expression, a raw template), where a replacement would change the program.
 */
function asciiComments(path: string, text: string): string {
  const code = text.split('\n').find((line) => NOT_ASCII.test(line) && !COMMENT_LINE.test(line))
  if (code !== undefined) throw new Error(`${basename(path)} has non-ASCII characters in code: ${code.trim()}`)
  return text.replaceAll(NOT_ASCII_CHARS, '?')
}

const NOT_ASCII = /[\u0080-\uffff]/
const NOT_ASCII_CHARS = new RegExp(NOT_ASCII, 'g')
const COMMENT_LINE = /^\s*(\/\/|\/\*|\* )/

const sharedDriver: Plugin = {
  name: 'shared-driver',
  setup(building) {
    building.onResolve({ filter: new RegExp(`^${DRIVER}$`) }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${DRIVER}.js`, external: true } : null,
    )
  },
}

/** CommonJS libraries call `require` for Node's modules, and ES modules have no such function. */
const REQUIRE = [
  "import { createRequire as createRequireOfBundle } from 'node:module'",
  'const require = createRequireOfBundle(import.meta.url)',
].join('\n')

/** Replaces the modules that differ in the packed program. */
function replaced(root: string, build: string): Plugin {
  return {
    name: 'replaced',
    setup(building) {
      building.onLoad({ filter: /\/packages\/cli\/src\/assembly\/build\.ts$/ }, () => ({
        contents: build,
        loader: 'js',
      }))
      building.onLoad({ filter: /\/packages\/support\/src\/java-pattern\/load-re2\.ts$/ }, () => ({
        contents: `export const loadRe2 = () => require('./re2js.cjs')`,
        loader: 'js',
      }))
      building.onResolve({ filter: /^\.\/[\w-]+\.cjs$/ }, ({ path }) =>
        basename(path) in SELDOM_USED ? { path, external: true } : null,
      )
      building.onResolve({ filter: /^@node-rs\/crc32$/ }, () => ({
        path: join(root, 'scripts/pack/checksums.ts'),
      }))
    },
  }
}

/** Writes the files of the page, which the program reads when one of them is requested. */
export async function bundlePage(outFolder: string): Promise<void> {
  for (const [path, { bytes }] of await buildPage()) {
    await mkdir(dirname(join(outFolder, path)), { recursive: true })
    await writeFile(join(outFolder, path), bytes)
  }
}

function buildModule(commit: string, command: string): string {
  return `
    import { readFolder } from ${JSON.stringify(join(import.meta.dirname, 'read-page.ts'))}
    export const COMMAND = ${JSON.stringify(command)}
    export const BUILD_COMMIT = ${JSON.stringify(commit)}
    export const WATCHDOG_THREAD = new URL('./watchdog-thread.js', import.meta.url)
    export const BROKER_THREAD = new URL('./broker-thread.js', import.meta.url)
    export const THREAD = new URL('./start-thread.js', import.meta.url)
    export const loadPage = () => readFolder(new URL('./page/', import.meta.url))
  `
}

/** The version that the program reports. */
export function programVersion(root: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }
  return manifest.version
}
