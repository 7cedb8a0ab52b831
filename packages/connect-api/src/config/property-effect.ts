/** How a property works here, where that is not as in Kafka Connect and Debezium. */
export type PropertyDifference =
  /** It works, but otherwise. */
  { readonly tag: 'differently'; readonly how: string } | { readonly tag: 'no effect'; readonly why: string }

/** What becomes of a property of a connector that worked in Kafka Connect. The texts are sentences. */
export type PropertyEffect =
  /** `note`: under which name or value it is known now, if that is another one. */
  { readonly tag: 'as before'; readonly note: string | null } | PropertyDifference
