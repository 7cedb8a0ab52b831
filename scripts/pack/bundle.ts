import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { leanPlugins } from './lean-plugins.ts'

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
 * Bundles the program: `main.js` (the command line), `task-thread.js` (the entry of a task's thread) and their chunks, all in one
 * folder. What a command does not need it does not load. The two entries share no chunk: in one build everything that a package's index names
 * would be shared, and a task's thread would load the REST interface. Threads share no code in memory anyway.
 *
 * Names and lines are left as they are: traces name the functions of the sources, so there are no source maps, which would be
 * twice as large as the program and cost each trace the time of reading them.
 */
export async function bundle(options: BundleOptions): Promise<BundledFiles> {
  const files = new Set<string>()
  for (const entry of ['packages/cli/src/main.ts', 'packages/cli/src/task-thread.ts', DRIVER]) {
    for (const file of await bundleEntry(entry, options)) files.add(file)
  }
  return [...files]
}

async function bundleEntry(entry: string, { root, outFolder, commit }: BundleOptions): Promise<BundledFiles> {
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
    plugins: [replaced(root, commit), sharedDriver, ...leanPlugins],
    // The texts of all licences are in a file of their own, see licences.ts.
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  })
  await mkdir(outFolder, { recursive: true })
  for (const { path, text } of outputFiles) await writeFile(path, asciiComments(path, text))
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
  )
}

/**
 * One character beyond ASCII, and the engine keeps the text of the whole file with two bytes a character, in each thread: 6 MB of a service.
 * esbuild escapes them in texts and names, but keeps the comments of class members as they are. In code (a regular expression, a raw
 * template) the replacement would be another program.
 */
function asciiComments(path: string, text: string): string {
  const code = text.split('\n').find((line) => NOT_ASCII.test(line) && !COMMENT_LINE.test(line))
  if (code !== undefined) throw new Error(`${basename(path)} has characters beyond ASCII in code: ${code.trim()}`)
  return text.replaceAll(NOT_ASCII_CHARS, '?')
}

const NOT_ASCII = /[\u0080-\uffff]/
const NOT_ASCII_CHARS = new RegExp(NOT_ASCII, 'g')
const COMMENT_LINE = /^\s*(\/\/|\/\*|\* )/

/** A file of its own: both entries load it when they connect to a database, and it is a fifth of the package. */
const DRIVER = 'mysql2'

const sharedDriver: Plugin = {
  name: 'shared-driver',
  setup(building) {
    building.onResolve({ filter: new RegExp(`^${DRIVER}$`) }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${DRIVER}.js`, external: true } : null,
    )
  },
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
        path: join(root, 'scripts/pack/checksums.ts'),
      }))
    },
  }
}

function buildModule(commit: string): string {
  return `
    export const BUILD_COMMIT = ${JSON.stringify(commit)}
    export const TASK_THREAD = new URL('./start-task.js', import.meta.url)
  `
}

/** The version that the program gives of itself. */
export function programVersion(root: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }
  return manifest.version
}
