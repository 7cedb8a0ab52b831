import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { globSync } from 'node:fs'
import { runProgram, unpackedDebian } from '@tributary/testkit'
import { commandOf, environmentOf, type Instruction, readDockerfile, type Stage } from './dockerfile.ts'

/** A file system and how its program is started. */
export interface Image {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** `1000:1000`. */
  readonly user: string
  readonly command: readonly string[]
  readonly healthcheck: readonly string[]
}

export interface BuildOptions {
  readonly checkout: string
  /** The packed release: the result of the stage `pack`, which needs the npm registry. */
  readonly tarball: string
  /** An empty folder. */
  readonly folder: string
}

/**
 * Carries out deploy/docker/Dockerfile without a container engine. In place of `node:24-bookworm-slim` it takes the
 * packages of Debian 12 that this image consists of, and the Node of this workspace. Each RUN runs in the file system
 * of its stage (chroot), so this needs root.
 */
export async function buildImage({ checkout, tarball, folder }: BuildOptions): Promise<Image> {
  const stages = readDockerfile(readFileSync(join(checkout, 'deploy/docker/Dockerfile'), 'utf8'))
  const roots = new Map<string, string>()
  const packed = join(folder, 'pack')
  mkdirSync(join(packed, 'packed'), { recursive: true })
  cpSync(tarball, join(packed, 'packed', basename(tarball)))
  roots.set('pack', packed)
  for (const [i, stage] of stages.entries()) {
    if (stage.name === 'pack') continue
    const root = join(folder, stage.name ?? `stage-${i}`)
    await copyBase(root)
    for (const instruction of stage.instructions) await carryOut(instruction, { root, roots, checkout })
    roots.set(stage.name ?? 'final', root)
  }
  const final = stages.at(-1)
  const root = roots.get('final')
  if (final === undefined || root === undefined) throw new Error('The Dockerfile has no final stage')
  return describe(final, root)
}

function describe(stage: Stage, folder: string): Image {
  const path = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
  return {
    folder,
    environment: environmentOf(stage, path),
    user: stage.instructions.findLast(({ name }) => name === 'USER')?.text ?? '0:0',
    command: [...commandOf(stage, 'ENTRYPOINT'), ...commandOf(stage, 'CMD')],
    healthcheck: commandOf(stage, 'HEALTHCHECK'),
  }
}

/** The programs and libraries of the image. */
const BASE = ['base-files', 'coreutils', 'dash', 'gzip', 'libc-bin', 'libstdc++6', 'sed', 'tar', 'util-linux']

async function copyBase(root: string): Promise<void> {
  await run('cp', ['-a', await unpackedDebian('slim', BASE), root])
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true })
  cpSync(process.execPath, join(root, 'usr/local/bin/node'), { dereference: true })
  for (const folder of ['proc', 'sys', 'dev', 'tmp', 'run']) mkdirSync(join(root, folder), { recursive: true })
  if (!existsSync(join(root, 'bin/sh'))) await run('ln', ['-s', 'dash', join(root, 'bin/sh')])
}

interface Place {
  readonly root: string
  readonly roots: ReadonlyMap<string, string>
  readonly checkout: string
}

async function carryOut({ name, text }: Instruction, { root, roots, checkout }: Place): Promise<void> {
  if (name === 'RUN') await run('chroot', [root, '/bin/sh', '-c', text])
  if (name !== 'COPY') return
  const words = text.split(' ')
  const flags = new Map(
    words.filter((word) => word.startsWith('--')).map((word) => word.split('=') as [string, string]),
  )
  const [source = '', target = ''] = words.filter((word) => !word.startsWith('--'))
  const [from, owner] = [flags.get('--from'), flags.get('--chown')]
  const base = from === undefined ? checkout : roots.get(from)
  if (base === undefined) throw new Error(`The Dockerfile copies from ${from}, which no stage before it is called`)
  const files = globSync(source.replace(/^\//, ''), { cwd: base })
  if (files.length === 0) throw new Error(`COPY ${text}: there is no such file`)
  for (const file of files) {
    const isFolder = target.endsWith('/')
    cpSync(join(base, file), join(root, target, isFolder ? basename(file) : ''), {
      recursive: true,
      verbatimSymlinks: true,
    })
  }
  if (owner !== undefined) await run('chown', ['-R', owner, join(root, target)])
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const { code, stderr } = await runProgram(program, args)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with code ${code}: ${stderr}`)
}
