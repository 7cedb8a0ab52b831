import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { leanPlugins } from '../pack/lean-plugins.ts'

const LIBRARY = '@platformatic/kafka'
const IMPORT = new RegExp(`import \\{([^}]*)\\} from '${LIBRARY}'`, 'g')

/**
 * Bundles what the packages use of @platformatic/kafka, which are codecs, as the release does, and returns the module.
 * Its index also loads clients, which compile schemas of their options: a second of CPU for each of 300 test files
 * (use-codecs.ts), and 0.1 s from the bundle.
 */
export async function buildCodecs(root: string, folder: string): Promise<string> {
  const outfile = join(folder, 'codecs.mjs')
  await build({
    absWorkingDir: root,
    stdin: {
      contents: `export { ${[...namesInUse(root)].join(', ')} } from '${LIBRARY}'`,
      resolveDir: join(root, 'packages/kafka'),
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    banner: { js: `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)` },
    plugins: [installed, ...leanPlugins],
    logLevel: 'warning',
  })
  return outfile
}

function namesInUse(root: string): ReadonlySet<string> {
  const files = globSync('packages/*/src/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'))
  const lists = files.flatMap((text) => Array.from(text.matchAll(IMPORT), ([, list = '']) => list.split(',')))
  const names = lists.flat().map((name) => name.trim())
  return new Set(names.filter((name) => name !== '' && !name.startsWith('type ')))
}

/** Libraries with native code or WebAssembly are used where npm has installed them. */
const installed: Plugin = {
  name: 'installed',
  setup(building) {
    building.onResolve({ filter: /^(@node-rs\/crc32|@platformatic\/wasm-utils)$/ }, ({ path, resolveDir }) => ({
      path: pathToFileURL(createRequire(join(resolveDir, 'module.js')).resolve(path)).href,
      external: true,
    }))
  },
}
