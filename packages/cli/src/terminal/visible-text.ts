/**
 * JSON allows DEL and the C1 controls (U+0080 to U+009F) unescaped, and some terminals obey the latter: they are written as escapes.
 */
export function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /[\u0000-\u001F\u007F-\u009F]/g

/** Text for a terminal that must not obey it. */
export function visibleText(text: string): string {
  return text.replaceAll(CONTROLS, (control) =>
    control === '\n' || control === '\t' ? control : withoutControls(control),
  )
}
