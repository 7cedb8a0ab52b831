/** A place in the binlog of one server. */
export interface BinlogPlace {
  readonly file: string
  readonly position: number
}

/** Negative: the first is earlier. Files of other names are those of another time: their numbers are compared. */
export function comparePlaces(a: BinlogPlace, b: BinlogPlace): number {
  if (a.file === b.file) return a.position - b.position
  const [one, other] = [fileNumber(a.file), fileNumber(b.file)]
  return one === other ? a.position - b.position : one - other
}

const numbers = new Map<string, number>()

function fileNumber(file: string): number {
  let number = numbers.get(file)
  if (number === undefined) {
    number = Number(file.slice(file.lastIndexOf('.') + 1))
    if (numbers.size >= NUMBERS_MAX) numbers.clear()
    numbers.set(file, number)
  }
  return number
}

const NUMBERS_MAX = 1_000

export function placeText({ file, position }: BinlogPlace): string {
  return `${file}:${position}`
}
