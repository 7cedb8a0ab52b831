import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

/** A file of the page, with its complete Content-Type header. */
export interface BuiltFile {
  readonly type: string
  readonly bytes: Buffer
}

/** Browsers of the last two years. */
const TARGETS = ['chrome120', 'firefox121', 'safari17.4']

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * Builds the page: `index.html`, and its assets under names with a digest of their contents. A checkout does so for the
 * first request of `/ui` (0.15 s), `npm run pack` once.
 */
export async function buildPage(): Promise<ReadonlyMap<string, BuiltFile>> {
  const source = join(import.meta.dirname, '../src')
  const { outputFiles } = await build({
    entryPoints: { page: join(source, 'page.tsx'), icon: join(source, 'icon.svg') },
    loader: { '.svg': 'copy' },
    bundle: true,
    // Views that few visits need are files of their own.
    splitting: true,
    minify: true,
    format: 'esm',
    target: TARGETS,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    outdir: 'assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  })
  const files = new Map<string, BuiltFile>()
  for (const { path, contents } of outputFiles) {
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)]
    if (type === undefined) continue
    files.set(`assets/${basename(path)}`, { type, bytes: Buffer.from(contents) })
  }
  let html = await readFile(join(source, 'index.html'), 'utf8')
  for (const path of files.keys()) html = html.replace(placeholderOf(path), path)
  return files.set('index.html', { type: 'text/html; charset=utf-8', bytes: Buffer.from(html) })
}

/** `assets/page-ABC.js` → `assets/page.js`, its name in the sources. */
function placeholderOf(path: string): string {
  return path.replace(/-[A-Z0-9]{8}(\.\w+)$/, '$1')
}
