import { StoppedError } from '@tributary/support'

/**
 * Asks for a password on the terminal, without showing what is typed. Null: there is no terminal to ask on.
 *
 * @throws StoppedError on Ctrl-C
 */
export async function askPassword(question: string): Promise<string | null> {
  const { stdin, stderr } = process
  if (!stdin.isTTY || !stderr.isTTY) return null
  stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  let password = ''
  try {
    for await (const typed of stdin) {
      for (const character of String(typed)) {
        if (character === '\r' || character === '\n' || character === CTRL_D) return password
        if (character === CTRL_C) throw new StoppedError()
        password = character === BACKSPACE ? password.slice(0, -1) : password + character
      }
    }
    return password
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const BACKSPACE = '\u007f'
