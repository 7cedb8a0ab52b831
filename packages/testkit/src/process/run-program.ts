import { spawn } from 'node:child_process'
import { testkitErrors } from '../errors.ts'
import { programEnvironment } from './program-environment.ts'

export interface ProgramResult {
  /** Standard output as UTF-8. */
  readonly stdout: string
  /** Standard output as it came. */
  readonly stdoutBytes: Buffer
  readonly stderr: string
  /** Exit code; 128 + signal number is not used: a program ended by a signal has code -1. */
  readonly code: number
}

export interface RunOptions {
  /** Written to standard input, which is then closed. */
  readonly input?: string | Buffer
  /** Over the environment of this process; `undefined` unsets. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** For the error when the program is missing: what it is needed for and the Debian package that holds it. */
  readonly purpose?: string
  readonly packageName?: string
  /** Ends the program (SIGTERM) when it fires; the result then has code -1. */
  readonly signal?: AbortSignal
}

/** Runs a program to its end. A code other than 0 is a result, not an error; a program that is not there is PROGRAM_MISSING. */
export function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<ProgramResult> {
  const { input, env, cwd, purpose = 'a test', packageName = program, signal } = options
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env: programEnvironment(env), stdio: 'pipe' })
    const stdout: Buffer[] = []
    const stderr: Buffer[] = []
    const onAbort = (): void => {
      child.kill()
    }
    if (signal?.aborted) onAbort()
    signal?.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', (bytes: Buffer) => stdout.push(bytes))
    child.stderr.on('data', (bytes: Buffer) => stderr.push(bytes))
    // A program that ends without reading its input closes the pipe; its exit code says whether that was right.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('error', (error) => {
      signal?.removeEventListener('abort', onAbort)
      const isMissing = 'code' in error && error.code === 'ENOENT'
      reject(isMissing ? testkitErrors.PROGRAM_MISSING({ program, purpose, package: packageName }, error) : error)
    })
    child.on('close', (code) => {
      signal?.removeEventListener('abort', onAbort)
      const stdoutBytes = Buffer.concat(stdout)
      const text = { stdout: stdoutBytes.toString(), stderr: Buffer.concat(stderr).toString() }
      resolve({ ...text, stdoutBytes, code: code ?? -1 })
    })
  })
}

/** The last lines of a log or an output, indented, for the end of an error message. Stack frames are left out: they say least. */
export function lastLines(text: string, count = 12): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return lines.length === 0
    ? ' (none)'
    : lines
        .slice(-count)
        .map((line) => `\n    ${line}`)
        .join('')
}
