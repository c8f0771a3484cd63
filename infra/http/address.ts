/** The maximum number of redirects. */
export const REDIRECTS_MAX = 3

/** Maps a provider's real address to the one that requests are sent to. */
export type Locate = (url: URL) => URL

const below = (base: string, host: string, { pathname, search }: URL): URL => {
  const located = new URL(base)
  located.pathname = `${located.pathname.replace(/\/+$/, "")}${host}${pathname}`
  located.search = search
  return located
}

/**
 * Makes the mapping of addresses: `baseUrls` overrides single hosts, `upstreams` maps all others to
 * `<upstreams>/<host>/<path>`; without either, addresses are unchanged.
 */
export const makeLocate =
  (upstreams: string | null, baseUrls: ReadonlyMap<string, string>): Locate =>
  (url) => {
    const base = baseUrls.get(url.host)
    if (base !== undefined) return below(base, "", url)
    return upstreams === null ? url : below(upstreams, `/${url.host}`, url)
  }

/**
 * The target of a redirect from `from`; null if it must not be followed: to another host, or from https to http. Addresses
 * are the provider's own, before they are mapped.
 */
export const redirectTarget = (from: URL, location: string | undefined): URL | null => {
  const to = location === undefined ? null : URL.parse(location, from.href)
  if (to === null || to.username !== "" || to.password !== "") return null
  if (to.protocol === from.protocol) return to.host === from.host ? to : null
  // The default port differs by scheme, so both addresses must use the default.
  const upgraded = from.protocol === "http:" && to.protocol === "https:"
  return upgraded && to.hostname === from.hostname && to.port === "" && from.port === "" ? to : null
}
