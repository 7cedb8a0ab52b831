import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { testkitErrors } from '../errors.ts'
import { runProgram } from '../process/run-program.ts'
import { progress } from './cache.ts'
import { unpackedDebian } from './unpacked-debian.ts'

/** Kafka 4 needs it. */
const OLDEST = 17
const PACKAGE = `openjdk-${OLDEST}-jre-headless`

let found: Promise<string> | undefined

/**
 * The path of Java 17 or later: that of `JAVA_HOME`, or the first one on the PATH. If there is none, Debian's is
 * unpacked into the cache (45 MB, once).
 *
 * @throws PROGRAM_MISSING without apt either, PROVISIONING_FAILED
 */
export function javaProgram(): Promise<string> {
  found ??= findJava().catch((error: unknown) => {
    found = undefined
    throw error
  })
  return found
}

async function findJava(): Promise<string> {
  const { JAVA_HOME = '' } = process.env
  const candidates = JAVA_HOME === '' ? [] : [join(JAVA_HOME, 'bin', 'java')]
  candidates.push(...onPath('java'))
  const usable = candidates.find((path) => existsSync(path) && isNewEnough(path))
  if (usable !== undefined) return usable
  if (candidates.some((path) => existsSync(path))) progress(`this machine's Java is older than ${OLDEST}`)
  return unpackedJava()
}

/** The paths of a program in the folders of the PATH. */
export function onPath(program: string): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, program)).filter((path) => existsSync(path))
}

/** Reads the file `release` of its folder, because starting Java takes longer. Without the file it is used. */
function isNewEnough(java: string): boolean {
  try {
    const release = readFileSync(join(dirname(realpathSync(java)), '..', 'release'), 'utf8')
    const [, major = ''] = /^JAVA_VERSION="(\d+)/m.exec(release) ?? []
    return major === '' || Number(major) >= OLDEST
  } catch {
    return true
  }
}

async function unpackedJava(): Promise<string> {
  if (onPath('apt-get').length === 0) {
    throw testkitErrors.PROGRAM_MISSING({
      program: `java (${OLDEST} or later)`,
      purpose: 'Apache Kafka',
      package: PACKAGE,
    })
  }
  // Its dependencies are for windows, sounds and printers, or are part of every Debian.
  const folder = await unpackedDebian('java', [PACKAGE], { exclude: new RegExp(`^(?!${PACKAGE}$)`), complete })
  return javaIn(folder)
}

async function javaIn(folder: string): Promise<string> {
  const parent = join(folder, 'usr/lib/jvm')
  const [name] = (await readdir(parent)).filter((each) => /^java-\d+-openjdk-/.test(each))
  return join(parent, name ?? '', 'bin', 'java')
}

/** What the scripts of the package do when it is installed. */
async function complete(folder: string): Promise<void> {
  // The archive of Java's own classes, without which none of Kafka's can be made.
  const java = await javaIn(folder)
  const { code, stdout, stderr } = await runProgram(java, ['-Xshare:dump'])
  if (code !== 0) throw new Error(`${java} -Xshare:dump ended with code ${code}: ${stdout}${stderr}`)
}
