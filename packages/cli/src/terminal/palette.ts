type Paint = (text: string) => string

/** Colours, by the meaning of the text. */
export interface Palette {
  readonly name: Paint
  readonly string: Paint
  readonly number: Paint
  /** true, false, null */
  readonly word: Paint
  /** Secondary text: positions, notes. */
  readonly aside: Paint
  readonly good: Paint
  readonly doubtful: Paint
  readonly bad: Paint
}

const unpainted: Paint = (text) => text

export const noColours: Palette = {
  name: unpainted,
  string: unpainted,
  number: unpainted,
  word: unpainted,
  aside: unpainted,
  good: unpainted,
  doubtful: unpainted,
  bad: unpainted,
}

/** ECMA-48, "Select graphic rendition": `ESC [ code m`. 39 resets the colour, 22 the weight. */
const colour =
  (code: number): Paint =>
  (text) =>
    `\u001B[${code}m${text}\u001B[39m`

/** The eight basic colours, which every terminal has and whose shades its user sets. */
export const terminalColours: Palette = {
  name: colour(36),
  string: colour(32),
  number: colour(33),
  word: colour(35),
  aside: (text) => `\u001B[2m${text}\u001B[22m`,
  good: colour(32),
  doubtful: colour(33),
  bad: colour(31),
}

/** Colours if standard output is a terminal that has them; hasColors respects NO_COLOR and TERM. */
export function paletteOf(stdout: NodeJS.WriteStream): Palette {
  return stdout.isTTY && stdout.hasColors() ? terminalColours : noColours
}
