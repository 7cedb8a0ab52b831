import { createInterface } from 'node:readline/promises'
import { StoppedError } from '@tributary/support'

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/**
 * Asks for a line on the terminal.
 *
 * @throws StoppedError on Ctrl-C, or when the terminal is closed
 */
export async function askLine(question: string): Promise<string> {
  const asking = createInterface({ input: process.stdin, output: process.stderr })
  const ending = new AbortController()
  asking.on('SIGINT', () => ending.abort())
  asking.on('close', () => ending.abort())
  try {
    return await asking.question(question, { signal: ending.signal })
  } catch (error) {
    throw ending.signal.aborted ? new StoppedError() : error
  } finally {
    asking.close()
  }
}

/**
 * Asks for a password on the terminal, without showing what is typed. Null: there is no terminal to ask on.
 *
 * @throws StoppedError on Ctrl-C
 */
export async function askPassword(question: string): Promise<string | null> {
  const { stdin, stderr } = process
  if (!canAsk()) return null
  // Before the question: an answer that is pasted at once would be shown.
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  stderr.write(question)
  try {
    return await typedLine(stdin)
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

/** By events: the iterator of a stream that was paused after another question yields nothing. */
function typedLine(stdin: NodeJS.ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = ''
    const end = (settle: () => void): void => {
      stdin.off('data', onTyped).off('end', onEnd)
      settle()
    }
    const onEnd = (): void => end(() => resolve(line))
    const onTyped = (typed: string): void => {
      for (const character of typed) {
        if (character === '\r' || character === '\n' || character === CTRL_D) return onEnd()
        if (character === CTRL_C) return end(() => reject(new StoppedError()))
        line = character === BACKSPACE ? line.slice(0, -1) : line + character
      }
    }
    stdin.on('data', onTyped).once('end', onEnd).resume()
  })
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACE = '\u007f'
