/** A value of a Terraform file, with its offset. What only Terraform can evaluate is an expression. */
export type HclValue =
  | { readonly tag: 'template'; readonly parts: readonly TemplatePart[]; readonly at: number }
  | { readonly tag: 'object'; readonly entries: readonly HclEntry[]; readonly at: number }
  | { readonly tag: 'null'; readonly at: number }
  | HclExpression

/** A text consists of literal parts and the values of expressions. */
export type TemplatePart = string | HclExpression

export interface HclExpression {
  readonly tag: 'expression'
  /** How it begins, for messages: `var.password`, `jsonencode`. */
  readonly name: string
  /** The name of the variable, if it is one. */
  readonly variable: string | null
  readonly at: number
}

export interface HclEntry {
  /** Null: the key is an expression. */
  readonly key: string | null
  readonly value: HclValue
  readonly at: number
}

/** `type "label" "label" { … }` */
export interface HclBlock {
  readonly type: string
  readonly labels: readonly string[]
  readonly attributes: ReadonlyMap<string, HclValue>
  readonly blocks: readonly HclBlock[]
  readonly at: number
}
