/** Returns a Markdown table. Escapes bars in cells. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** Returns a text as Markdown code, fenced by two backquotes when it contains one. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** Returns the text of a message in one line, with `<` escaped outside of code. */
export function plain(text: string): string {
  const line = text.replaceAll(/\s*\n/g, ' ').trim()
  return line.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part))
}
