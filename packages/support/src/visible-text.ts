/*
 * Characters that act on a terminal or on how a text is read, instead of being shown:
 *
 *     U+0000 to U+001F, U+007F, U+0080 to U+009F    controls (C0, DEL, C1): ESC and CSI move the cursor, erase, recolour
 *     U+061C, U+200E, U+200F, U+202A to U+202E,     directions: the following text is shown in another order
 *       U+2066 to U+2069                              (CVE-2021-42574)
 *     U+2028, U+2029                                 ends of a line or paragraph, for some programs
 */
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const CONTROLS = /[\u0000-\u001F\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g

/** Writes all control and direction characters as escapes, also line ends and tabs: `\u001b`. */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, escaped)
}

/**
 * Makes text safe for a terminal: escapes control and direction characters except line ends and tabs. For texts of
 * servers, topics and files, which can contain anything.
 */
export function visibleText(text: string): string {
  return text.replaceAll(CONTROLS, (control) => (control === '\n' || control === '\t' ? control : escaped(control)))
}

/**
 * The same for a JSON document: JSON escapes only C0 controls. The result is the same document, because these
 * characters occur only within strings, where `\u009b` is the same character.
 */
export function visibleJson(document: string): string {
  return document.replaceAll(CONTROLS, (control) => (JSON_BLANKS.has(control) ? control : escaped(control)))
}

const JSON_BLANKS: ReadonlySet<string> = new Set(['\n', '\t', '\r'])

/**
 * Makes text safe within an entry of a log: as `visibleText`, and each further line is indented. So a line that begins
 * with a time is always the start of an entry, and no text of a server can forge one.
 */
export function entryText(text: string): string {
  return visibleText(text).replaceAll(/\n(?=\S)/g, '\n  ')
}

function escaped(control: string): string {
  return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`
}
