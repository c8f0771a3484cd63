/** The policy of replies that no browser shows as a page: nothing is loaded, and nothing runs. */
export const NOTHING_LOADED = "default-src 'none'; frame-ancestors 'none'"

/** What a page may load beside the files of its own origin. */
export interface PageSources {
  /** The CSP source of its import map, its one inline script; null for a page without scripts. */
  readonly importMap: string | null
  /** Further directives by name, in place of those that every page has; none unless given. */
  readonly more?: Readonly<Record<string, string>>
}

/** The policy of a page: files of its own origin alone, no inline style, no form that leaves it, no frame around it. */
export const pagePolicy = ({ importMap, more = {} }: PageSources): string =>
  Object.entries({
    "default-src": "'none'",
    "script-src": importMap === null ? "'none'" : `'self' ${importMap}`,
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    ...more,
  })
    .map(([name, sources]) => `${name} ${sources}`)
    .join("; ")
