import { spawn } from 'node:child_process'
import { testkitErrors } from '../errors.ts'
import { programEnvironment } from './program-environment.ts'

export interface ProgramResult {
  /** Standard output as UTF-8. */
  readonly stdout: string
  /** Standard output as bytes. */
  readonly stdoutBytes: Buffer
  readonly stderr: string
  /** The exit code; -1 for a program that a signal has ended (not 128 + the signal's number). */
  readonly code: number
}

export interface RunOptions {
  /** Written to standard input, which is then closed. */
  readonly input?: string | Buffer
  /** Added to the environment of this process; `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** For the error when the program is missing: what needs it, and the Debian package that contains it. */
  readonly purpose?: string
  readonly packageName?: string
  /** Ends the program with SIGTERM when it aborts; the code is then -1. */
  readonly signal?: AbortSignal
}

/**
 * Runs a program until it ends. An exit code other than 0 is a result, not an error.
 *
 * @throws PROGRAM_MISSING
 */
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
    // A program may end without reading its input, which closes the pipe; its exit code shows whether it failed.
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

/** The last lines of a log or an output, indented, for the end of an error message; without stack frames. */
export function lastLines(text: string, count = 12): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^\s+at /.test(line))
  return lines.length === 0
    ? ' (none)'
    : lines
        .slice(-count)
        .map((line) => `\n    ${line}`)
        .join('')
}
