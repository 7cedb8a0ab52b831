/** The page has no modules for others: `scripts/build-page.ts` builds it, and the cli serves it. */
export {}
