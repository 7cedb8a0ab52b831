import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** The files of the page in a packed release, as `buildPage` of the checkout returns them. */
export async function readFolder(
  folder: URL,
): Promise<ReadonlyMap<string, { readonly type: string; readonly bytes: Buffer }>> {
  const files = new Map<string, { readonly type: string; readonly bytes: Buffer }>()
  const assets = await readdir(new URL('assets/', folder))
  for (const path of ['index.html', ...assets.map((name) => `assets/${name}`)]) {
    const type = TYPES[extname(path)] ?? 'application/octet-stream'
    files.set(path, { type, bytes: await readFile(new URL(path, folder)) })
  }
  return files
}
