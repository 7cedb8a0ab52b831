/**
 * Writes all control characters as escapes. JSON allows DEL and the C1 controls (U+0080 to U+009F) unescaped, and some
 * terminals act on the latter.
 */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/g

/** Makes text safe for a terminal: escapes all control characters except line ends and tabs. */
export function visibleText(text: string): string {
  return text.replaceAll(CONTROLS, (control) =>
    control === '\n' || control === '\t' ? control : withoutControls(control),
  )
}
