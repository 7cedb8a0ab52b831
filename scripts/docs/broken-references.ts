import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** Text of others, and installed packages. */
const FOREIGN = /(^|\/)(node_modules|fixtures)\//

/**
 * What the Markdown files of a tree point at and is not there, as `file:line: what`: relative links with their headings, paths
 * of the repository written as code, npm scripts, and names written as a link to the source file that should hold them
 * (``[`Name`](packages/…/file.ts)``). Blocks of code are not looked at.
 */
export function brokenReferences(root: string): readonly string[] {
  const pages = globSync('**/*.md', { cwd: root, exclude: (path) => FOREIGN.test(`${path}/`) }).toSorted()
  const scripts = npmScripts(root)
  return pages.flatMap((page) => {
    const context = { root, page, scripts }
    return proseLines(readFileSync(join(root, page), 'utf8')).flatMap(({ text, number }) =>
      faultsOf(text, context).map((fault) => `${page}:${number}: ${fault}`),
    )
  })
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

interface Line {
  readonly text: string
  /** From 1. */
  readonly number: number
}

/** Lines outside fenced blocks of code. */
function proseLines(markdown: string): readonly Line[] {
  let isCode = false
  return markdown.split('\n').flatMap((text, index) => {
    const isFence = /^\s*```/.test(text)
    if (isFence) isCode = !isCode
    return isFence || isCode ? [] : [{ text, number: index + 1 }]
  })
}

function faultsOf(line: string, context: Context): readonly string[] {
  return [...linkFaults(line, context), ...pathFaults(line, context), ...scriptFaults(line, context)]
}

/** `[text](target)`; addresses of the web are not asked. */
const LINK = /\[([^\]]*)\]\(([^)\s]+)\)/g

function linkFaults(line: string, { root, page }: Context): readonly string[] {
  return [...line.matchAll(LINK)].flatMap(([, text = '', target = '']) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = '', heading] = target.split('#')
    const file = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(join(root, file))) return [`link to ${target}, which does not exist`]
    if (heading !== undefined && !headingsOf(join(root, file)).has(heading)) return [`${target} has no such heading`]
    const name = /^`([A-Za-z]\w*)`$/.exec(text)?.[1]
    if (name === undefined || !file.endsWith('.ts')) return []
    const isNamed = new RegExp(String.raw`\b${name}\b`).test(readFileSync(join(root, file), 'utf8'))
    return isNamed ? [] : [`${file} does not contain ${name}`]
  })
}

/** The anchors of a page's headings, as GitHub makes them. */
function headingsOf(file: string): ReadonlySet<string> {
  const headings = proseLines(readFileSync(file, 'utf8')).flatMap(({ text }) => /^#+\s+(.*)$/.exec(text)?.[1] ?? [])
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  )
}

/** A path of the repository as code; one with a placeholder or a pattern in it names no file. */
const PATH = /`((?:packages|scripts|tests|bench|docs|\.ci)\/[^`\s]*)`/g

function pathFaults(line: string, { root }: Context): readonly string[] {
  return [...line.matchAll(PATH)].flatMap(([, path = '']) =>
    /[*…<>{}]/.test(path) || existsSync(join(root, path)) ? [] : [`${path} does not exist`],
  )
}

const NPM_RUN = /`npm run (?:--silent )?([\w:-]+)/g

function scriptFaults(line: string, { scripts }: Context): readonly string[] {
  return [...line.matchAll(NPM_RUN)].flatMap(([, name = '']) =>
    scripts.has(name) ? [] : [`package.json has no script ${name}`],
  )
}
