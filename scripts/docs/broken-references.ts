import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Third-party texts and installed packages. */
const FOREIGN = /(^|\/)(node_modules|fixtures)\//

/**
 * Returns the broken references in the Markdown files of a tree, as `file:line: what`. Checks relative links with their
 * headings, paths of the repository written as code, npm scripts, and names that link to the source file that must
 * contain them (``[`Name`](packages/…/file.ts)``). Ignores fenced code.
 */
export function brokenReferences(root: string): readonly string[] {
  const pages = globSync('**/*.md', { cwd: root, exclude: (path) => FOREIGN.test(`${path}/`) }).toSorted()
  const scripts = npmScripts(root)
  return pages.flatMap((page) => {
    const prose = proseOf(readFileSync(join(root, page), 'utf8'))
    const faults = faultsOf(prose, { root, page, scripts })
    return faults
      .toSorted((a, b) => a.index - b.index)
      .map(({ index, what }) => `${page}:${prose.slice(0, index).split('\n').length}: ${what}`)
  })
}

interface Fault {
  /** The index of the first character in the text of the page. */
  readonly index: number
  readonly what: string
}

interface Context {
  readonly root: string
  readonly page: string
  readonly scripts: ReadonlySet<string>
}

function npmScripts(root: string): ReadonlySet<string> {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts?: Record<string, string>
  }
  return new Set(Object.keys(scripts))
}

/** Returns the page with empty lines instead of fenced code, so that line numbers stay the same. */
function proseOf(markdown: string): string {
  let isCode = false
  const lines = markdown.split('\n').map((line) => {
    const isFence = /^\s*```/.test(line)
    if (isFence) isCode = !isCode
    return isFence || isCode ? '' : line
  })
  return lines.join('\n')
}

function faultsOf(prose: string, context: Context): readonly Fault[] {
  return [...linkFaults(prose, context), ...pathFaults(prose, context), ...scriptFaults(prose, context)]
}

/** `[text](target)`. Web addresses are not checked. */
const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g

function linkFaults(prose: string, context: Context): readonly Fault[] {
  return [...prose.matchAll(LINK)].flatMap(({ 1: text = '', 2: target = '', index }) => {
    const what = linkFault(text, target, context)
    return what === null ? [] : [{ index, what }]
  })
}

function linkFault(text: string, target: string, { root, page }: Context): string | null {
  if (/^[a-z]+:/.test(target)) return null
  const [path = '', heading] = target.split('#')
  const file = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, file))) return `link to ${target}, which does not exist`
  if (heading !== undefined && !headingsOf(join(root, file)).has(heading)) return `${target} has no such heading`
  const name = /^`([A-Za-z]\w*)`$/.exec(text)?.[1]
  if (name === undefined || !file.endsWith('.ts')) return null
  const isNamed = new RegExp(String.raw`\b${name}\b`).test(readFileSync(join(root, file), 'utf8'))
  return isNamed ? null : `${file} does not contain ${name}`
}

/** Returns the anchors that GitHub generates for a page's headings. */
function headingsOf(file: string): ReadonlySet<string> {
  const headings = [...proseOf(readFileSync(file, 'utf8')).matchAll(/^#+[ \t]+(.*)$/gm)].map(([, text = '']) => text)
  return new Set(headings.map(anchorOf))
}

function anchorOf(heading: string): string {
  const words = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
  return words.trim().replaceAll(/\s/g, '-')
}

/** A path of the repository written as code. Paths with placeholders or patterns are not checked. */
const PATH = /`((?:packages|scripts|tests|bench|docs|\.ci)\/[^`\s]*)`/g

function pathFaults(prose: string, { root }: Context): readonly Fault[] {
  return [...prose.matchAll(PATH)].flatMap(({ 1: path = '', index }) =>
    /[*…<>{}]/.test(path) || existsSync(join(root, path)) ? [] : [{ index, what: `${path} does not exist` }],
  )
}

const NPM_RUN = /`npm run (?:--silent )?([\w:-]+)/g

function scriptFaults(prose: string, { scripts }: Context): readonly Fault[] {
  return [...prose.matchAll(NPM_RUN)].flatMap(({ 1: name = '', index }) =>
    scripts.has(name) ? [] : [{ index, what: `package.json has no script ${name}` }],
  )
}
