type Paint = (text: string) => string

/** Colours by meaning. */
export interface Palette {
  readonly name: Paint
  readonly string: Paint
  readonly number: Paint
  /** true, false, null */
  readonly word: Paint
  /** What only helps to read: positions, notes. */
  readonly aside: Paint
  readonly good: Paint
  readonly doubtful: Paint
  readonly bad: Paint
}

const same: Paint = (text) => text

export const noColours: Palette = {
  name: same,
  string: same,
  number: same,
  word: same,
  aside: same,
  good: same,
  doubtful: same,
  bad: same,
}

/** ECMA-48, "Select graphic rendition": `ESC [ code m`; 39 and 22 give back colour and weight. */
const colour =
  (code: number): Paint =>
  (text) =>
    `\u001B[${code}m${text}\u001B[39m`

/** The eight colours that every terminal has, as its user has set them. */
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

/** Colours where a terminal shows them: hasColors heeds NO_COLOR and TERM. */
export function paletteOf(stdout: NodeJS.WriteStream): Palette {
  return stdout.isTTY && stdout.hasColors() ? terminalColours : noColours
}
