/** The built files of the page, by their paths in it: `index.html`, `assets/page-….js`. */
export type PageFiles = ReadonlyMap<string, PageFile>

export interface PageFile {
  /** The complete Content-Type header. */
  readonly type: string
  readonly bytes: Buffer
}
