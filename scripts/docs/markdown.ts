/** A table; a bar in a cell would end it, so it is escaped. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), `|${heads.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

/** Text as code. One that holds a backquote is fenced by two. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

/** Text of a message in one line. What a Markdown page would take for a tag is shown as it is; code is that already. */
export function plain(text: string): string {
  const line = text.replaceAll(/\s*\n/g, ' ').trim()
  return line.replaceAll(/`[^`]*`|</g, (part) => (part === '<' ? '&lt;' : part))
}
